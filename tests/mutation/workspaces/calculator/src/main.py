"""Calculates."""

from parser import ParseError, Parser, parse
from tokens import TokenError, TokenKind, tokenize


def refused(text: str) -> str:
    try:
        parse(text)
    except ParseError as error:
        return error.token.text
    except TokenError:
        return "token"
    return "accepted"


def main() -> None:
    assert parse("1 + 2 * 3").value() == 7
    assert parse("(1 + 2) * 3").value() == 9
    assert parse("8 / 4 - 1").value() == 1
    tree = Parser(text="2*(3+4)").parse()
    assert tree.depth() == 3
    assert refused("2 +") == ""
    assert refused("2 3") == "3"
    assert refused("2 ? 3") == "token"
    assert refused("(2") == "("
    first = next(tokenize("42"))
    assert first.kind is TokenKind.NUMBER and first.at == 0
    assert max(token.kind for token in tokenize("(1)")) is TokenKind.END


if __name__ == "__main__":
    main()
