"""Tokens as text: llama2.c's tokenizer file, and the same as a C table for a firmware."""

import math
import re
import struct


def read(path):
    raw, at, words = path.read_bytes(), 4, []
    while at < len(raw):
        length = struct.unpack("i", raw[at + 4:at + 8])[0]
        word = raw[at + 8:at + 8 + length]
        byte = re.fullmatch(rb"<0x(..)>", word)  # one that is no text
        words.append(bytes([int(byte[1], 16)]) if byte else word)
        at += 8 + length
    return words


def text(tokens, words):
    return b"".join(words[token] for token in tokens if token > 2).decode(errors="replace").strip()


def header(words, logit_step):
    """Words one behind the other, where each begins, and what a logit is worth so many steps below the largest."""
    joined, begins = b"".join(words), [0]
    for word in words:
        begins.append(begins[-1] + len(word))
    rows = [", ".join(map(str, joined[i:i + 24])) for i in range(0, len(joined), 24)]
    places = [", ".join(map(str, begins[i:i + 16])) for i in range(0, len(begins), 16)]
    worth = [str(round(65535 * math.exp(-below * logit_step))) for below in range(256)]
    worth = [", ".join(worth[i:i + 16]) for i in range(0, 256, 16)]
    return ("/* Written by examples/stories/quantise.py: the text of each token, and chances. */\n#include <stdint.h>\n\n"
            f"enum {{ kWords = {len(words)} }};\n"
            f"static const uint16_t word_begins[kWords + 1] = {{\n    {(',' + chr(10) + '    ').join(places)}}};\n"
            f"static const uint16_t likelihood[256] = {{\n    {(',' + chr(10) + '    ').join(worth)}}};\n"
            f"static const uint8_t word_text[] = {{\n    {(',' + chr(10) + '    ').join(rows)}}};\n")
