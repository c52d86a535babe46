import { expect, test } from 'vitest';
import { countDrawnElements } from '#host/codes/logos/svg-repetitions';
import { parseSvg } from '#host/codes/logos/svg-tree';

const countIn = (svg: string) => countDrawnElements(parseSvg(svg));

test.each([
  ['each element once', '<svg><g><rect/><rect></rect></g></svg>', 4],
  ['what is used again', '<svg><g id="a"><rect/><rect/></g><use href="#a"/><use xlink:href="#a"/></svg>', 12],
  [
    'what is used within what is used',
    '<svg><g id="a"/><g id="b"><use href="#a"/></g><use href="#b"/></svg>',
    9,
  ],
  [
    'what is painted with',
    `<svg><pattern id='p'><rect/></pattern><rect fill="url(#p)" mask="url('#p')"/></svg>`,
    8,
  ],
  ['what is named before it is drawn', '<svg><use href="#a"/><rect id="a"/></svg>', 4],
  ['a named group within another', '<svg><g id="a"><rect id="b"/></g><use href="#b"/></svg>', 5],
  ['nothing for comments and quoted text', '<svg><!-- <g><g> --><style><![CDATA[<g>]]></style></svg>', 2],
  ['nothing for links and unknown names', '<svg id="a"><a href="#a"><use href="#none"/></a></svg>', 3],
  ['signs within an attribute', '<svg><rect id="a>b" data-x="/"/><use href="#a>b"/></svg>', 4],
  ['the address that is meant', '<svg><g id="a"><rect/></g><use data-href="#none" href="#a"/></svg>', 6],
  ['an address after one in quotes', `<svg><g id="a"/><use class="href='#no'" href = "#a"/></svg>`, 4],
  ['a name after one in quotes', `<svg><g class=" id='no'" id="a"/><use href="#a"/></svg>`, 4],
  ['the other kind of name', '<svg><g xml:id="a"/><use href="#a"/></svg>', 4],
  ['names in numbers', '<svg><g id="&lt;&#97;"/><use href="&#35;&#60;a"/></svg>', 4],
  ['a quote in numbers', '<svg><g id="a"/><use class="&#34;" href="#a"/></svg>', 4],
  ['what follows a comment in numbers', '<svg><text>&#60;!--</text><g id="a"/><use href="#a"/></svg>', 5],
  ['a paint in capitals', '<svg><pattern id="p"/><rect fill="URL(#p)"/></svg>', 4],
  ['a paint without an end', '<svg><pattern id="p"/><rect fill="url(#p"/></svg>', 4],
  ['a paint in other quotes', '<svg><pattern id="p"/><rect style="fill:url(&quot;#p&quot;)"/></svg>', 4],
  ['a paint in numbers of CSS', '<svg><pattern id="p"/><rect style="fill:\\75rl(#\\70)"/></svg>', 4],
  ['a marker at each point', '<svg><marker id="m"/><path d="M0 0" marker-mid="url(#m)"/></svg>', 7],
  ['an arrow at the end', '<svg><marker id="m"/><path d="M0 0" marker-end="url(#m)"/></svg>', 4],
  [
    'infinite for circular references',
    '<svg><g id="a"><use href="#b"/></g><g id="b"><use href="#a"/></g></svg>',
    Infinity,
  ],
])('an SVG amounts to %s', (_, svg, elements) => {
  expect(countIn(svg)).toBe(elements);
});

test('nested repetitions are counted without being drawn', () => {
  const levels = Array.from(
    { length: 12 },
    (_, n) => `<g id="l${n + 1}">${`<use href="#l${n}"/>`.repeat(10)}</g>`,
  );
  const svg = `<svg><defs><rect id="l0"/>${levels.join('')}</defs><use href="#l12"/></svg>`;
  expect(countIn(svg)).toBeGreaterThan(10 ** 12);
});
