"""Turns titles into the last part of an address."""

import re
import unicodedata

LONGEST = 40


def slugify(title):
    """Give a slug: small ASCII letters, digits and single hyphens, at most 40 characters.

    Accents are taken off (``é`` becomes ``e``), ``&`` becomes ``and``, everything else that is no letter or digit separates
    words. A slug that would be too long ends with its last whole word that fits; a single word that is too long is cut.

    Raises ValueError when nothing is left.
    """
    text = unicodedata.normalize("NFKD", title.replace("&", " and "))
    text = text.encode("ascii", "ignore").decode("ascii").lower()
    words = re.findall(r"[a-z0-9]+", text)
    if not words:
        raise ValueError(f"nothing of {title!r} can stand in an address")
    slug = words[0][:LONGEST]
    for word in words[1:]:
        if len(slug) + 1 + len(word) > LONGEST:
            break
        slug += f"-{word}"
    return slug
