import { expect, test } from 'vitest';
import { drawnOf, logoFile } from './drawn-logo';

const NAMESPACE = 'xmlns="http://www.w3.org/2000/svg"';
const RED = '#cc0000ff';
const SQUARE = '<rect width="32" height="32" fill="#c00"/>';
const svg = (inner: string, attributes = 'viewBox="0 0 32 32"') =>
  `<svg ${NAMESPACE} ${attributes}>${inner}</svg>`;
const filled = (attributes: string, before = '') =>
  svg(`${before}<rect width="32" height="32" ${attributes}/>`);
const styled = (css: string, attributes = 'class="a"') => filled(attributes, `<style>${css}</style>`);
const DOCTYPE =
  '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd"';

test.each([
  // Entities
  [
    'namespaces that are entities',
    `${DOCTYPE} [<!ENTITY s "http://www.w3.org/2000/svg"><!ENTITY x 'http://a.example/'>]><svg xmlns="&s;" xmlns:x="&x;" viewBox="0 0 32 32">${SQUARE}</svg>`,
  ],
  ['a style that is an entity', `<!DOCTYPE svg [\n<!ENTITY st0 "fill:#c00;">\n]>${filled('style="&st0;"')}`],
  ['an entity of entities', `<!DOCTYPE svg [<!ENTITY a "#c"><!ENTITY b "&a;00">]>${filled('fill="&b;"')}`],
  ['an entity of shapes', `<!DOCTYPE svg [<!ENTITY shape '${SQUARE}'>]>${svg('&shape;')}`],
  ['an entity with quotes', `<!DOCTYPE svg [<!ENTITY f 'font:1px "a";fill:#c00'>]>${filled('style="&f;"')}`],
  [
    'signs within its document type',
    `${DOCTYPE} [<!-- ]> don't --><!ENTITY a "]>">\n<!ATTLIST svg x CDATA #IMPLIED>]>${svg(SQUARE)}`,
  ],
  // Namespaces
  [
    'a prefix for SVG',
    `<svg:svg xmlns:svg="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><svg:style>rect{fill:#c00}</svg:style><svg:rect width="32" height="32"/></svg:svg>`,
  ],
  ['no namespace', `<svg viewBox="0 0 32 32">${SQUARE}</svg>`],
  [
    'the data of its editor',
    svg(
      `<x:view xmlns:x="http://a.example/" x:onload="1"/><rect xmlns="http://a.example/" width="32" height="32"/>${SQUARE}`,
    ),
  ],
  ['a prefix that is not declared', svg(`<g inkscape:label="a">${SQUARE}</g>`)],
  [
    'references of both kinds',
    svg(`<defs><g id="a">${SQUARE}</g></defs><use xmlns:l="http://www.w3.org/1999/xlink" l:href="#a"/>`),
  ],
  // Styles
  ['a variable of the root', styled(':root{--bg:#c00}.a{fill:var(--bg)}')],
  ['a variable of the style attribute', filled('style="--a:#c00;fill:var(--a)"')],
  [
    'a variable in an attribute',
    svg('<rect width="32" height="32" fill="var(--a)"/>', 'viewBox="0 0 32 32" style="--a: #c00"'),
  ],
  ['a fallback', filled('fill="var(--none, #c00)"')],
  ['a fallback within a fallback', filled('style="fill:var(--none, var(--neither, #c00))"')],
  ['a variable of variables', styled(':root{--a:var(--b);--b:var(--c);--c:#c00}.a{fill:var(--a)}')],
  ['a variable with spaces', styled('svg{--a:204 0 0}.a{fill:rgb(var( --a ) / 100%)}')],
  [
    'the nearest variable',
    svg('<style>svg{--a:#00c}g{--a:#c00}rect{fill:var(--a)}</style><g><rect width="32" height="32"/></g>'),
  ],
  [
    'a variable of a rule that is stronger',
    styled('#b{--a:#c00}.a{--a:#00c}rect{fill:var(--a)}', 'id="b" class="a"'),
  ],
  ['a variable that refers to itself', styled('rect{--a:var(--a);fill:var(--a, #c00)}')],
  [
    'no value, as if it were not set',
    svg('<g fill="#c00"><rect width="32" height="32" style="fill:#00c;fill:var(--none)"/></g>'),
  ],
  [
    'variables of what uses a shape',
    svg(
      '<defs><symbol id="s" viewBox="0 0 1 1"><rect width="1" height="1" style="fill:var(--a,#00c)"/></symbol></defs><use href="#s" style="--a:#c00"/>',
    ),
  ],
  [
    'variables of what uses a use',
    svg(
      '<defs><rect id="s" width="32" height="32" style="fill:var(--a)"/><g id="t"><use href="#s"/></g></defs><use href="#t" style="--a:#c00"/>',
    ),
  ],
  [
    'the stronger of two rules',
    styled('.a{fill:#c00!important}#b{fill:#00c}', 'class="a" id="b" style="fill:#0c0"'),
  ],
  ['the last colour it knows', filled('style="fill:#c00;fill:nonsense(1)"')],
  ['nested rules', styled('svg{&amp; .a{fill:#c00} .a{stroke:none}}')],
  ['newer selectors', styled(':is(.a,.b):where(rect):not(.c){fill:#c00}')],
  ['rules in layers', styled('.a{fill:#c00}@layer x{rect.a{fill:#00c}}')],
  [
    'rules for media',
    styled('.a{fill:#00c}@media screen and (min-width:100px){.a{fill:#c00}}@media print{.a{fill:#0c0}}'),
  ],
  ['rules for dark screens', styled('.a{fill:#c00}@media (prefers-color-scheme: dark){.a{fill:#fff}}')],
  [
    'a style sheet for other media',
    `${filled('fill="#c00"', '<style media="print">rect{fill:#00c}</style>')}`,
  ],
  ['a style sheet in CDATA', styled('<![CDATA[g>rect,.a{fill:#c00}]]>')],
  [
    'a style sheet that counts all elements',
    svg(
      '<metadata/><x:a xmlns:x="http://a.example/"/><style>rect:nth-child(4){fill:#c00}</style><rect width="32" height="32"/>',
    ),
  ],
  ['a background', svg('', 'viewBox="0 0 32 32" style="background:light-dark(#c00, #00c)"')],
  [
    'a reference in quotes',
    filled(
      'style="fill:url(&quot;#g&quot;)"',
      '<linearGradient id="g"><stop stop-color="#c00"/></linearGradient>',
    ),
  ],
  ['a colour for printers', filled('style="fill:#c00 icc-color(a, 0, 1, 1, 0.2)"')],
  [
    'an initial value that is registered',
    styled('@property --a{syntax:"*";inherits:true;initial-value:#c00}.a{fill:var(--a)}'),
  ],
  ['an initial value', svg(`<g stroke="#00c" stroke-width="64"><g style="stroke:initial">${SQUARE}</g></g>`)],
  [
    'rules for sizes',
    styled(
      '.a{fill:#00c}@media (width >= 512px) or (print){.a{fill:#c00}}@media (max-width: 511px){.a{fill:#0c0}}',
    ),
  ],
  [
    'a current colour of what uses a shape',
    svg(
      '<defs><g id="s"><rect width="32" height="32" style="fill:color-mix(in srgb, currentColor, #c00)"/></g></defs><use href="#s" color="#c00"/>',
    ),
  ],
  ['a sum', filled('style="fill:#c00;width:calc(8px * 4);height:max(1px, 32px)"')],
  ['an outline in its style', svg(`<path fill="#c00" style="d:path('M0 0h32v32h-32z')"/>`)],
  ['a turn about the middle', filled('style="fill:#c00;transform:rotate(90deg);transform-origin:center"')],
  ['a turn about a point', filled('fill="#c00" transform="rotate(90)" transform-origin="16 16"')],
  [
    'a turn about a corner',
    filled('style="fill:#c00;transform:scale(-1, 1) translate(32px);transform-origin:top right"'),
  ],
  [
    'parts of a transform',
    svg(
      '<rect width="8" height="8" fill="#c00" style="translate:16px 16px;rotate:180deg;scale:4;transform:translate(-4px,-4px)"/>',
    ),
  ],
  ['a turn of the whole', svg(SQUARE, 'viewBox="0 0 32 32" transform="rotate(90)matrix(-1, 0, 0, 1, 0, 0)"')],
  // Alternatives
  [
    'what only Illustrator reads',
    svg(
      `<switch><foreignObject requiredExtensions="http://ns.adobe.com/AdobeIllustrator/10.0/" width="1" height="1"/><g>${SQUARE}</g></switch>`,
    ),
  ],
  [
    'HTML with a substitute',
    svg(
      `<switch><foreignObject width="9" height="9"><p xmlns="http://www.w3.org/1999/xhtml">a</p></foreignObject>${SQUARE}</switch>`,
    ),
  ],
  [
    'an empty box of HTML',
    svg(
      `<foreignObject width="9" height="9"><div xmlns="http://www.w3.org/1999/xhtml" style="backdrop-filter:blur(1px)"></div></foreignObject>${SQUARE}`,
    ),
  ],
  [
    'several languages',
    svg(
      `<switch><rect systemLanguage="fr" width="32" height="32"/><g systemLanguage="de, en-GB">${SQUARE}</g><rect width="32" height="32"/></switch>`,
    ),
  ],
  ['one language', svg(`<g systemLanguage="de">${SQUARE}</g>`)],
  // The rest
  ['a link', svg(`<a href="https://a.example/">${SQUARE}</a>`)],
  [
    'an animation',
    svg(
      `<rect width="32" height="32" fill="#c00"><animate attributeName="fill" to="#00c" dur="1s"/><set attributeName="x" to="9"/></rect>`,
    ),
  ],
  [
    'a clip path, a mask, a filter and a blend',
    svg(
      `<clipPath id="c">${SQUARE}</clipPath><mask id="m"><rect width="32" height="32" fill="#fff"/></mask><filter id="f"><feOffset/></filter><g clip-path="url(#c)" mask="url('#m')" filter="url(#f)" style="mix-blend-mode:multiply">${SQUARE}</g>`,
    ),
  ],
  ['a picture that repeats nothing', svg(`<image/><image href=""/>${SQUARE}`)],
  [
    'a font that no text uses',
    filled(
      'class="a"',
      '<style>@font-face{font-family:F;src:url(data:font/woff2;base64,AAAA)}.a{fill:#c00;font-family:F}</style>',
    ),
  ],
])('an SVG with %s is drawn', async (_, text) => {
  expect(await drawnOf(logoFile(text))).toEqual({ width: 512, height: 512, middle: RED, covered: 100 });
});

test.each([
  ['#c00', RED],
  ['#c008', '#cc000088'],
  ['#cc000080', '#cc000080'],
  ['rgb(204 0 0)', RED],
  ['rgb(204 0 0 / 50%)', '#cc000080'],
  ['rgba(204,0,0,.5)', '#cc000080'],
  ['rgb(80% 0% 0%)', RED],
  ['rgb(calc(100 + 104) 0 0)', RED],
  ['hsl(0 100% 40%)', RED],
  ['hsl(0deg, 100%, 40%)', RED],
  ['hsl(1turn 100% 40% / 0.5)', '#cc000080'],
  ['hwb(0 0% 20%)', RED],
  ['lab(40 60 50)', '#b7180dff'],
  ['lch(40 80 40)', '#b9130aff'],
  ['oklab(0.5 0.1 0.1)', '#a14203ff'],
  ['oklch(0.5 0.2 30)', '#ba0d01ff'],
  ['OKLCH(50% 0.2 30deg / 50%)', '#ba0d0180'],
  ['oklch(from red l c h)', '#ff0000ff'],
  ['color(srgb 0.8 0 0)', RED],
  ['color(display-p3 1 0 0)', '#ff0000ff'],
  ['color-mix(in srgb, red, black)', '#800000ff'],
  ['color-mix(in srgb, currentColor 80%, black)', '#a30000ff'],
  ['light-dark(#c00, #00c)', RED],
  ['light-dark(oklch(0.5 0.2 30), #fff)', '#ba0d01ff'],
  ['currentColor', RED],
  ['rebeccapurple', '#663399ff'],
])('the colour %s is drawn, as an attribute and in a style', async (colour, expected) => {
  for (const text of [
    svg(`<g color="#c00"><rect width="32" height="32" fill="${colour}"/></g>`),
    svg(`<style>g{color:#c00}rect{fill:${colour}}</style><g><rect width="32" height="32"/></g>`),
    svg(
      `<linearGradient id="g" color="#c00"><stop stop-color="${colour}"/></linearGradient><rect width="32" height="32" fill="url(#g)"/>`,
    ),
  ]) {
    const { middle } = await drawnOf(logoFile(text));
    const [drawn, wanted] = [middle, expected].map((one) => [...Buffer.from(one.slice(1), 'hex')]);
    expect(
      drawn?.every((value, n) => Math.abs(value - (wanted?.[n] ?? 0)) <= 2),
      `${middle} ${text}`,
    ).toBe(true);
  }
});
