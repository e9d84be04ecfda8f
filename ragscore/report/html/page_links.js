/* The address: what was chosen on the page, and links to a query, a filter or a part of it. */
(() => {
  const page = window.ragscorePage;
  if (!page) return;
  const PICKS = [["b", "baseline"], ["m", "measure"]];
  /** What a link says of the page's state, not of a place in it. */
  const STATE = ["d", "b", "m"];
  /** What leads to the explorer. */
  const EXPLORER = ["q", "cause", "beats", "fail", "tag"];
  /** Names that stand in a link as they are, so that it can be read. */
  const encoded = (text) => encodeURIComponent(text).replaceAll("%40", "@");
  const datasets = [...document.querySelectorAll("#pick-dataset input")];

  function parsed() {
    const hash = location.hash.slice(1);
    return new URLSearchParams(hash.includes("=") ? hash.replaceAll("+", "%2B") : "");
  }

  /** What is chosen, where it is not the default. */
  function chosen() {
    const panel = Math.max(datasets.findIndex((pick) => pick.checked), 0);
    const parts = panel > 0 ? [["d", String(panel)]] : [];
    for (const [letter, name] of PICKS) {
      const pick = document.getElementById(`d${panel}-${name}`);
      if (pick?.selectedIndex > 0) parts.push([letter, pick.selectedOptions[0].dataset.name]);
    }
    return parts;
  }

  /** Writes into the address what is chosen and these parts of a link; no step of the history. */
  function address(parts) {
    try {
      const hash = [...chosen(), ...parts].map(([name, value]) => `${name}=${encoded(value)}`);
      const wanted = hash.length ? `#${hash.join("&")}` : "";
      if (wanted === location.hash) return;
      history.replaceState(history.state, "", wanted || location.pathname + location.search);
    } catch { /* half a letter in a name; some viewers allow no change of the address */ }
  }

  /** The place that the address names, without the page's state. */
  const place = () => [...parsed()].filter(([name]) => ![...STATE, "at"].includes(name));

  function showPanel(index) {
    if (datasets[index]) datasets[index].checked = true;
  }

  /** Chooses what a link names; a name that there is not changes nothing. */
  function choose(panel, params) {
    for (const [letter, name] of PICKS) {
      const pick = document.getElementById(`d${panel}-${name}`);
      const wanted = params.get(letter);
      const at = pick && wanted !== null
        ? [...pick.options].findIndex((option) => option.dataset.name === wanted) : -1;
      if (at < 0 || at === pick.selectedIndex) continue;
      pick.selectedIndex = at;
      pick.dispatchEvent(new Event("change", { bubbles: true }));
    }
  }

  /** The panel that a link means: without a number, the first with its query. */
  async function panelOf(params) {
    const number = params.get("d");
    if (/^\d+$/.test(number) && datasets[number]) return Number(number);
    const query = params.get("q");
    const explorers = Object.entries(window.ragscoreExplorer ?? {});
    if (query !== null && explorers.length > 1) {
      for (const [at, explorer] of explorers) {
        if (await explorer.has(query).catch(() => false)) return Number(at);
      }
    }
    return 0;
  }

  let followed = 0;

  async function follow() {
    const turn = ++followed;
    const hash = location.hash.slice(1);
    if (!hash.includes("=")) {
      let id = hash;
      try { id = decodeURIComponent(hash); } catch { /* no part of the page */ }
      // A part's id has no room for what is chosen beside it.
      if (!hash) address([]);
      else if (toPart(id) && chosen().some(([name]) => name !== "d")) address([["at", id]]);
      return;
    }
    const params = parsed();
    const panel = await panelOf(params);
    if (turn !== followed) return;
    showPanel(panel);
    choose(panel, params);
    const parts = [...params].filter(([name]) => !STATE.includes(name));
    address(parts);
    if (EXPLORER.some((name) => params.has(name))) {
      window.ragscoreExplorer?.[panel]?.open(params);
    } else if (params.has("at")) {
      toPart(params.get("at"));
    }
  }

  /** Shows a part of the page by its id; whether there is one. */
  function toPart(id) {
    const target = document.getElementById(id);
    const panel = target?.closest(".panel");
    if (!panel) return false;
    showPanel(Number(panel.id.slice(1)));
    for (let at = target.closest("details"); at; at = at.parentElement.closest("details")) {
      at.open = true;
    }
    target.scrollIntoView();
    return true;
  }

  function prepareLinks() {
    addEventListener("hashchange", follow);
    document.addEventListener("change", (event) => {
      if (datasets.includes(event.target)) address([]);
      else if (event.target.matches(".pick")) address(place());
    });
    // The same link pressed again changes no hash, but people expect it to work again.
    document.addEventListener("click", (event) => {
      const link = event.target.closest?.("a");
      const href = link?.getAttribute("href");
      if (href?.startsWith("#") && href === location.hash) {
        event.preventDefault();
        follow();
      }
    });
  }

  Object.assign(page, { address, follow, prepareLinks });
})();
