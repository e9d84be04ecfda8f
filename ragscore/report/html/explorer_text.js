/* Texts of the dataset as nodes: cleaned, isolated, with the words of a query marked. */
const explorerText = (() => {
  // What stands in most English questions and says nothing of their subject.
  const STOP = new Set(("a about after all also am an and any are as at be because been before "
    + "being but by can cannot come could did do does doing for from get had has have having he her here him "
    + "his how however i if in into is it its just may me more most must my no not of off on one only or "
    + "other our out over own say says she should so some such than that the their them then there "
    + "these they this those through to too under up us very was we were what when where which "
    + "while who whom whose why will with would you your").split(" "));
  const INSIDE = "[\\p{L}\\p{M}\\p{N}]";
  // Particles of two syllables; of one, the last syllable is left out anyway.
  const PARTICLE = /(?:에서|에게|으로|부터|까지|에는|에도|이나)$/u;

  /** Control characters, as no font shows them, as U+FFFD. */
  function clean(text) {
    return text.replace(/\r\n?/g, "\n")
      .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufffe\uffff]/g, "\ufffd");
  }

  /** As texts are compared: letters by what they are, not how they are written. */
  const folded = (text) => text.normalize("NFC").toLowerCase();

  const JOINING = "[\\u0590-\\u061b\\u061d-\\u109f\\u1780-\\u18af\\u2190-\\u2bff\\ufb1d-\\ufefc"
    + "\\u{1f000}-\\u{1faff}]";
  /** What has no width: see elements/plain.py. */
  const INVISIBLE = new RegExp("[\\u00ad\\u115f\\u1160\\u180e\\u200b\\u2060-\\u2065\\u206a-\\u206f"
    + "\\u3164\\ufeff\\uffa0\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}]"
    + `|(?<!${JOINING})[\\u061c\\u200c-\\u200f](?!${JOINING})`, "gu");

  /** A name as it is shown: two never differ in nothing that can be seen. */
  const readable = (name) => clean(name).replace(INVISIBLE, "\ufffd");

  /** A name inside a sentence or an option, whose direction stays its own. */
  function isolated(name) {
    const text = readable(name);
    return /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufefc]/.test(text)
      ? `\u2068${text}\u2069` : text;
  }

  function make(tag, className, ...inside) {
    const element = document.createElement(tag);
    if (className) element.className = className;
    element.append(...inside);
    return element;
  }

  /** Text of the dataset as an element of its own. */
  function quoted(text, className = "") {
    const element = make("bdi", className, clean(text));
    element.dir = "auto";
    return element;
  }

  /** Pattern of one word; null where it says nothing. Inflected forms count. */
  function pattern(word) {
    if (STOP.has(word)) return null;
    if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(word)) {
      const signs = [...word];
      const pairs = signs.slice(1).map((sign, at) => signs[at] + sign);
      return { free: true, text: pairs.length ? pairs.join("|") : word };
    }
    if (/\p{Script=Hangul}$/u.test(word)) {
      if (word.length < 2) return null;
      const stem = word.replace(PARTICLE, "");
      const cut = stem.length > 1 && stem !== word ? stem
        : word.length > 2 ? word.slice(0, -1) : word;
      return { text: `${cut}${INSIDE}*` };
    }
    const letters = [...word];
    if (letters.length > 4 && /^[\p{L}\p{M}]+$/u.test(word)) {
      const stem = letters.slice(0, Math.max(4, letters.length - 2)).join("");
      return { text: `${stem}[\\p{L}\\p{M}]{0,5}(?!${INSIDE})` };
    }
    return letters.length > 1 || /\p{N}/u.test(word) ? { text: `${word}(?!${INSIDE})` } : null;
  }

  /** What finds the words of a query in a text; null where there are none. */
  function finder(query) {
    const words = new Set(folded(query).match(/[\p{L}\p{M}\p{N}]+/gu) ?? []);
    const patterns = [...words].slice(0, 60).map(pattern).filter(Boolean);
    const bound = patterns.filter((word) => !word.free).map((word) => word.text);
    const free = patterns.filter((word) => word.free).map((word) => word.text);
    const parts = bound.length ? [`(?<!${INSIDE})(?:${bound.join("|")})`, ...free] : free;
    return parts.length ? new RegExp(parts.join("|"), "giu") : null;
  }

  /** The text with what the finder finds in `mark` elements. */
  function marked(text, find) {
    const whole = clean(text).normalize("NFC");
    const fragment = document.createDocumentFragment();
    let at = 0;
    for (const found of find ? whole.matchAll(find) : []) {
      fragment.append(whole.slice(at, found.index), make("mark", "", found[0]));
      at = found.index + found[0].length;
    }
    fragment.append(whole.slice(at));
    return fragment;
  }

  /** An icon or a shape: paths in a box of 16. */
  function drawn(className, ...paths) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    element.setAttribute("class", className);
    element.setAttribute("viewBox", "0 0 16 16");
    element.setAttribute("aria-hidden", "true");
    for (const d of paths) {
      const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
      path.setAttribute("d", d);
      element.append(path);
    }
    return element;
  }

  return { clean, folded, readable, isolated, make, quoted, finder, marked, drawn };
})();
