// What a page holds, told to the test that has a browser evaluate this in it.
(async () => {
  const all = [...document.querySelectorAll("*")];
  // Twice a frame: what would run on an event has had the time to.
  for (let i = 0; i < 2; i++) await new Promise((done) => requestAnimationFrame(done));
  await Promise.allSettled([...document.images].map((image) => image.decode()));
  const light = (color) => {
    const parts = color.match(/[\d.]+/g).slice(0, 3).map((part) => part / 255);
    const [r, g, b] = parts.map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const paper = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = getComputedStyle(at).backgroundColor;
      if (color !== "rgba(0, 0, 0, 0)") return color;
    }
    return "rgb(255, 255, 255)";
  };
  const texts = all.filter((element) => element.closest("main, header, footer") && element.checkVisibility() &&
    [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim()));
  const contrasts = texts.map((element) => {
    const style = getComputedStyle(element);
    const ink = element instanceof SVGElement ? style.fill : style.color;
    const [a, b] = [light(ink), light(paper(element))].sort((x, y) => y - x);
    return (a + 0.05) / (b + 0.05);
  });
  return {
    scripts: document.scripts.length,
    handlers: all.filter((element) => [...element.attributes].some((one) => one.name.startsWith("on"))).length,
    pwned: window.pwned !== undefined,
    broken: [...document.images].filter((image) => image.naturalWidth === 0).length,
    wide: document.documentElement.scrollWidth - window.innerWidth,
    contrast: Math.min(...contrasts, 21),
  };
})();
