"""Texts that break what puts them into markup, a cell, a link or a file by hand."""

from __future__ import annotations

HOSTILE = (
    "<script>alert(1)</script>",
    "</script><script>window.attacked=1</script>",
    "</style><img src=x onerror=window.attacked=2>",
    '"><svg onload=window.attacked=3>',
    "' onmouseover='window.attacked=4",
    "javascript:window.attacked=5",
    "&amp;&lt;b&gt;&#x3c;i&#x3e;",
    "<!-- --!> <![CDATA[ ]]> <!--<script>",
    "\u202eright to left\u202c \u2066isolated \u200f\u061c",
    "nul \x00 bell \x07 escape \x1b[31mred vertical \x0b delete \x7f next \x85 line \u2028",
    "no\u200bwidth \u200eat\u2060 all\ufeff, nor here\u00ad",
    "=1+1",
    "+1",
    "-1",
    "@x",
    "\t=2",
    "emoji \U0001f468\u200d\U0001f469\u200d\U0001f467 \U0001f1f0\U0001f1f7 \U0001f600",
    "{{ 7*7 }} {% raw %} ${7*7} `code` **bold** [x](javascript:window.attacked=6) | pipe",
    "\\textbf{x} \\input{/etc/passwd} $x^2$ % # _ ~ ^ \\",
    "__proto__",
    "constructor",
    "Zalgo Z̸̢͈̎a̵̰̔l̶̹̄g̷̳̈o combining " + "\u0301" * 40,
    "long" + "word" * 200,
    "https://evil.example/%00?a=b&c=d#q=1",
    "..\\..\\windows ../../etc/passwd CON NUL",
)
"""Texts that break what puts them into markup, a cell, a link or a file by hand."""
