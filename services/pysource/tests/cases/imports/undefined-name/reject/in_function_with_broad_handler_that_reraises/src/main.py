def main():
    try:
        from m import train

        train()
    except Exception as error:
        print(error)
        raise


main()
