import fc from 'fast-check';
import { expect, test } from 'vitest';
import { splitAddresses } from '~/site/linked-text';

const ORIGIN = 'https://quadrille.example';
const linksOf = (text: string) =>
  splitAddresses(text, ORIGIN).flatMap(({ text: shown, href }) => (href ? [[shown, href]] : []));

test.each([
  [
    'Write to contact@quadrille.example.',
    [['contact@quadrille.example', 'mailto:contact@quadrille.example']],
  ],
  ['the CNIL (www.cnil.fr).', [['www.cnil.fr', 'https://www.cnil.fr']]],
  ['(signal.conso.gouv.fr), or', [['signal.conso.gouv.fr', 'https://signal.conso.gouv.fr']]],
  [`The website ${ORIGIN} and`, [[ORIGIN, '/']]],
  [`online at ${ORIGIN}/withdraw; you`, [[`${ORIGIN}/withdraw`, '/withdraw']]],
  [
    '« https://mediator.example/a?b=c » :',
    [['https://mediator.example/a?b=c', 'https://mediator.example/a?b=c']],
  ],
  [
    'https://quadrille.example.evil.example/x',
    [['https://quadrille.example.evil.example/x', 'https://quadrille.example.evil.example/x']],
  ],
  [`${ORIGIN}//evil.example`, [[`${ORIGIN}//evil.example`, `${ORIGIN}//evil.example`]]],
  ['Article L. 221-28, 13° and quadrille.consent.v1', []],
  ['javascript:alert(1) data:text/html,x', []],
])('the addresses of “%s” become links', (text, links) => {
  expect(linksOf(text)).toEqual(links);
});

test('no text loses any of its content or gets a link to a script', () => {
  const words = fc.constantFrom(
    'http://',
    'https://',
    'www.',
    '@',
    'a',
    '.fr',
    'javascript:',
    '<b>',
    '"',
    ' ',
    '//',
    ORIGIN,
  );
  const texts = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.array(words).map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const parts = splitAddresses(text, ORIGIN);
      expect(parts.map((part) => part.text).join('')).toBe(text);
      for (const { href } of parts) if (href) expect(href).toMatch(/^(?:https?:\/\/|mailto:|\/(?!\/))/);
    }),
  );
});
