import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  campaignInputs,
  finalAddress,
  readCampaign,
  readCampaignInputs,
  resolveCampaign,
  UTM_NAMES,
  withParameters,
} from '#contract/campaign';
import { targetOf } from '#contract/web-addresses';

const WORDS = { name: 'Spring sale', tags: ['café', 'shop'], slug: '7K2M9QXA' };

/** A query as people and programs leave them: empty pieces, names without values, odd escapes. */
const piece = fc.oneof(
  fc.webQueryParameters(),
  fc.constantFrom(
    '',
    'a',
    'a=',
    '=b',
    'utm_source=own',
    'utm_source=%zz',
    'UTM_SOURCE=x',
    'utm%5Fsource=y',
    'a=b=c',
  ),
  fc.stringMatching(/^[a-z%+=[\]é ]{0,12}$/),
);
const address = fc
  .tuple(
    fc.webUrl({ withQueryParameters: false, withFragments: false }),
    fc.option(fc.array(piece, { maxLength: 5 }), { nil: null }),
    fc.option(fc.webFragments(), { nil: null }),
  )
  .map(([base, query, fragment]) => {
    return `${base}${query ? `?${query.join('&')}` : ''}${fragment === null ? '' : `#${fragment}`}`;
  });
const names = fc.constantFrom(...UTM_NAMES, 'ref', 'a', '7', 'constructor');
const parameters = fc.uniqueArray(fc.tuple(names, fc.string({ minLength: 1, unit: 'grapheme' })), {
  selector: ([name]) => name,
  maxLength: 6,
});

function queryOf(url: string): string[] {
  const [, query = ''] = /^[^?#]*\??([^#]*)/.exec(url) ?? [];
  return query.split('&');
}

const nameOf = (one: string) => [...new URLSearchParams(`?${one}`).keys()][0] ?? '';

describe('an address with parameters', () => {
  test('has each of them once, and keeps everything else byte for byte', () => {
    fc.assert(
      fc.property(address, parameters, fc.boolean(), (before, added, keepsOwn) => {
        const after = withParameters(before, added, { keepsOwn });
        const url = new URL(after);
        const own = new URL(before).searchParams;
        const given = new Set<string>(added.map(([name]) => name));
        for (const [name, value] of added) {
          if (keepsOwn && own.has(name)) expect(url.searchParams.getAll(name)).toEqual(own.getAll(name));
          else expect(url.searchParams.getAll(name)).toEqual([value]);
        }
        const others = (one: string) =>
          queryOf(one).filter((each) => each !== '' && !given.has(nameOf(each)));
        expect(others(after)).toEqual(others(before));
        expect([url.origin, url.pathname, url.hash]).toEqual([
          new URL(before).origin,
          new URL(before).pathname,
          new URL(before).hash,
        ]);
      }),
    );
  });

  test('is the same with the same parameters again', () => {
    fc.assert(
      fc.property(address, parameters, fc.boolean(), (before, added, keepsOwn) => {
        const after = withParameters(before, added, { keepsOwn });
        expect(withParameters(after, added, { keepsOwn })).toBe(after);
      }),
    );
  });

  test('that is in ASCII stays as browsers write it', () => {
    fc.assert(
      fc.property(address, parameters, (before, added) => {
        const after = withParameters(targetOf(before), added);
        expect(targetOf(after)).toBe(after);
      }),
    );
  });

  test('is unchanged without parameters', () => {
    fc.assert(
      fc.property(address, (before) => {
        expect(withParameters(before, [])).toBe(before);
      }),
    );
  });

  test.each([
    ['https://example.com', 'https://example.com/?utm_source=poster'],
    ['https://example.com?', 'https://example.com/?utm_source=poster'],
    ['https://example.com/a?b=1&', 'https://example.com/a?b=1&utm_source=poster'],
    ['https://example.com/a#top', 'https://example.com/a?utm_source=poster#top'],
    ['https://example.com/?utm_source=x&b=1', 'https://example.com/?utm_source=poster&b=1'],
    ['https://example.com/?utm_source=x&b=1&utm_source=y', 'https://example.com/?utm_source=poster&b=1'],
    ['https://example.com/#?utm_source=x', 'https://example.com/?utm_source=poster#?utm_source=x'],
    ['https://example.com/a?q=%c3%a9+b%20c', 'https://example.com/a?q=%c3%a9+b%20c&utm_source=poster'],
  ])('%s', (before, after) => {
    expect(withParameters(before, [['utm_source', 'poster']])).toBe(after);
  });
});

describe('parameters', () => {
  test('contain the name, the first tag and the short address of their code, or are left out', () => {
    const campaign = { utm_campaign: '{name}', utm_source: '{tag}', x: 'a-{id}-{tag}' };
    expect(resolveCampaign(campaign, WORDS)).toEqual([
      ['utm_source', 'café'],
      ['utm_campaign', 'Spring sale'],
      ['x', 'a-7K2M9QXA-café'],
    ]);
    expect(resolveCampaign(campaign, { ...WORDS, name: null, tags: [] })).toEqual([['x', 'a-7K2M9QXA-']]);
    expect(finalAddress('https://example.com/', campaign, { ...WORDS, name: "L'été & {id}" })).toBe(
      'https://example.com/?utm_source=caf%C3%A9&utm_campaign=L%27%C3%A9t%C3%A9%20%26%20%7Bid%7D&x=a-7K2M9QXA-caf%C3%A9',
    );
  });

  test('are kept in one order and without empty ones; none is null', () => {
    const read = readCampaign({ b: '1', utm_term: ' ', utm_medium: 'print ', a: '2', utm_source: 'x' });
    expect(JSON.stringify(read)).toBe('{"campaign":{"utm_source":"x","utm_medium":"print","a":"2","b":"1"}}');
    expect(readCampaign({ utm_source: ' ' })).toEqual({ campaign: null });
  });

  test.each([
    [{ 'a b': '1' }, 'a b', 'campaign_name_invalid'],
    [{ '': '1' }, '', 'campaign_name_invalid'],
    [{ __x: '1' }, '__x', 'campaign_name_invalid'],
    [{ 'a&b': '1' }, 'a&b', 'campaign_name_invalid'],
    [{ ['x'.repeat(41)]: '1' }, 'x'.repeat(41), 'campaign_name_invalid'],
    [{ utm_source: 'a\nb' }, 'utm_source', 'campaign_value_invalid'],
    [{ utm_source: '\ud800' }, 'utm_source', 'campaign_value_invalid'],
    [{ utm_source: 'x'.repeat(101) }, 'utm_source', 'campaign_value_too_long'],
    [{ utm_source: '{nmae}' }, 'utm_source', 'campaign_word_unknown'],
    [{ utm_source: '{}' }, 'utm_source', 'campaign_word_unknown'],
    [{ a: '1', b: '2', c: '3', d: '4', e: '5', f: '6' }, 'a', 'campaign_too_many'],
  ])('%j are refused', (entered, field, code) => {
    expect(readCampaign(entered)).toEqual({ problems: [{ field, code }] });
  });

  test('as long and as many as are allowed are accepted', () => {
    const others = { a: '1', b: '2', c: '3', d: '4', ['x'.repeat(40)]: '5' };
    const entered = { ...Object.fromEntries(UTM_NAMES.map((name) => [name, '😀'.repeat(100)])), ...others };
    expect(readCampaign(entered)).toEqual({ campaign: entered });
  });

  test('of a form come back as they are stored', () => {
    const value = fc.stringMatching(/^(?:[a-c256{}=%&+é -]|%2[56]){1,20}$/);
    const entered = fc.dictionary(fc.constantFrom(...UTM_NAMES, 'ref', 'a.b', 'x-1'), value);
    fc.assert(
      fc.property(entered, (typed) => {
        const read = readCampaign(typed);
        if ('problems' in read) return;
        expect(readCampaignInputs(campaignInputs(read.campaign))).toEqual(read);
      }),
    );
  });

  test.each([
    [{ ref: 'R&D' }, 'ref=R%26D'],
    [{ ref: 'a&b=c', x: '1' }, 'ref=a%26b=c&x=1'],
    [{ ref: '50% + 1' }, 'ref=50% + 1'],
    [{ ref: '%26' }, 'ref=%2526'],
    [{ ref: 'caf%C3%A9' }, 'ref=caf%C3%A9'],
  ])('%j are typed as %s', (campaign, utm_more) => {
    expect(campaignInputs(campaign).utm_more).toBe(utm_more);
    expect(readCampaignInputs({ utm_more })).toEqual({ campaign });
  });

  test('of a form are refused at their input', () => {
    expect(readCampaignInputs({ utm_source: '{x}', utm_more: 'a b=1&c=\n' })).toEqual({
      problems: [
        { field: 'utm_source', code: 'campaign_word_unknown' },
        { field: 'utm_more', code: 'campaign_name_invalid' },
      ],
    });
    for (const utm_more of ['a=1&a=2', 'utm_source=2'])
      expect(readCampaignInputs({ utm_source: 'x', utm_more })).toEqual({
        problems: [{ field: 'utm_more', code: 'campaign_name_twice' }],
      });
    for (const utm_more of ['ref=R&D', 'ref', 'ref=R& D '])
      expect(readCampaignInputs({ utm_more })).toEqual({
        problems: [{ field: 'utm_more', code: 'campaign_equals_missing' }],
      });
  });
});
