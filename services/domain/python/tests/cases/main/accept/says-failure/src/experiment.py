def run(config, recorder):
    return {"success": False}
