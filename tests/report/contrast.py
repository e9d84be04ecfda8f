"""How far texts stand out from what is behind them, as drawn."""

from __future__ import annotations

import json
from collections.abc import Sequence

from tests.report.browser import Browser

CONTRAST = """
const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
const rgba = colour => {
  canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
  const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data; return [r, g, b, a / 255];
};
const over = (top, below) => [0, 1, 2].map(n => top[n] * top[3] + below[n] * (1 - top[3]));
const behind = one => {
  const layers = [];
  for (let at = one; at; at = at.parentElement) {
    const colour = rgba(getComputedStyle(at).backgroundColor);
    layers.push(colour); if (colour[3] === 1) break;
  }
  const paper = matchMedia('(prefers-color-scheme: dark)').matches ? 18 : 255;
  return layers.reverse().reduce((below, top) => over(top, below), [paper, paper, paper]);
};
// A text of a chart may stand in a bar.
const under = text => {
  const box = text.getBoundingClientRect(), ground = behind(text.ownerSVGElement.parentElement);
  const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
  return [...text.ownerSVGElement.querySelectorAll('rect')].filter(rect => {
    const at = rect.getBoundingClientRect();
    return rect.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING
      && at.left <= x && x <= at.right && at.top <= y && y <= at.bottom;
  }).reduce((below, rect) => {
    const style = getComputedStyle(rect), colour = rgba(style.fill);
    colour[3] *= style.fillOpacity * style.opacity;
    return over(colour, below);
  }, ground);
};
const bright = colour => colour.map(part => part / 255)
  .map(part => part <= .04045 ? part / 12.92 : ((part + .055) / 1.055) ** 2.4)
  .reduce((sum, part, n) => sum + part * [.2126, .7152, .0722][n], 0);
const found = {};
for (const selector of JSON.parse(arguments[0])) {
  for (const one of document.querySelectorAll(selector)) {
    if (!one.checkVisibility() || !one.textContent.trim()) continue;
    const style = getComputedStyle(one), svg = one instanceof SVGElement;
    if (svg && one.tagName !== 'text') continue;
    const ground = svg ? under(one) : behind(one);
    const ink = over(rgba(svg ? style.fill : style.color), ground);
    const [a, b] = [bright(ink), bright(ground)];
    const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    found[selector] = Math.min(found[selector] ?? 99, ratio);
  }
}
return found;
"""


def contrasts(browser: Browser, selectors: Sequence[str]) -> dict[str, float]:
    """By selector, the lowest contrast (WCAG 2) of a visible text against what is behind it."""
    found: dict[str, float] = browser.js(CONTRAST, json.dumps(list(selectors)))
    return found
