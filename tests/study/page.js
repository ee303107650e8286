// What a reader of the page would stumble over, as a list of lines; empty if there is nothing.
(() => {
  const faults = [];
  const told = element => `${element.tagName} ${(element.textContent || '').trim().slice(0, 40)}`;
  const shown = element => element.checkVisibility({contentVisibilityAuto: true}) && !element.closest('thead')
    || element.closest('thead') && innerWidth >= 960;

  const numbers = colour => (colour.match(/[\d.]+/g) || []).map(Number);
  const luminance = colour => {
    const [r, g, b] = numbers(colour).map(v => v / 255)
      .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => {
    const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
    return (high + 0.05) / (low + 0.05);
  };
  const background = element => {
    for (let at = element; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (numbers(colour)[3] !== 0) return colour;
    }
    return 'rgb(255, 255, 255)';
  };
  const scale = element => {
    const at = element.closest('svg') ? element.getScreenCTM() : {a: 1, b: 0};
    return Math.hypot(at.a, at.b);
  };
  const hasText = element => [...element.childNodes].some(node => node.nodeType === 3 && node.data.trim());

  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > width)
    faults.push(`the page is ${document.documentElement.scrollWidth} wide on ${width}`);
  for (const element of document.querySelectorAll('body *')) {
    if (!shown(element) || element.closest('svg') && element.tagName !== 'svg') continue;
    const box = element.getBoundingClientRect();
    if (box.width > 0 && (box.right > width + 0.5 || box.left < -0.5))
      faults.push(`${told(element)}: reaches from ${box.left} to ${box.right} of ${width}`);
    if (element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0 && element.tagName !== 'svg'
        && getComputedStyle(element).display !== 'inline')
      faults.push(`${told(element)}: its content is cut off or spills over`);
  }
  for (const element of document.querySelectorAll('body *')) {
    if (!shown(element) || !hasText(element)) continue;
    const style = getComputedStyle(element), drawn = element.closest('svg');
    const ratio = contrast(drawn ? style.fill : style.color, background(element));
    if (ratio < 4.5) faults.push(`${told(element)}: contrast ${ratio.toFixed(2)}`);
    if (parseFloat(style.fontSize) * scale(element) < 8)
      faults.push(`${told(element)}: too small to read`);
  }
  for (const element of document.querySelectorAll('svg path, svg use')) {
    const style = getComputedStyle(element), alpha = +style.strokeOpacity;
    const colour = style.fill !== 'none' ? style.fill : style.stroke;
    if (colour === 'none' || alpha < 1 || element.closest('defs, clipPath')) continue;
    const ratio = contrast(colour, background(element));
    if (ratio < 3) faults.push(`line or area in ${element.closest('svg').id}: contrast ${ratio.toFixed(2)}`);
  }
  for (const drawing of document.querySelectorAll('svg, img'))
    if (drawing.getAttribute('role') !== 'img' || (drawing.getAttribute('aria-label') || '').length < 20)
      faults.push(`${drawing.id}: no text for who cannot see it`);
  const ids = [...document.querySelectorAll('[id]')].map(element => element.id);
  if (new Set(ids).size < ids.length) faults.push('an id stands twice');
  if (!document.documentElement.lang || !document.title) faults.push('language or title is missing');
  return faults;
})()
