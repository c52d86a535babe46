import { expect, test } from 'vitest';
import { DEFAULT_STYLE } from '#contract/style-rules';
import { CreationForm } from '~/codes/create/schema.server';
import { readSheetChoice } from '~/codes/files/sheet-choice.server';
import { drawnStyleOf, textsOfStyle } from '~/codes/look/look-input';
import { MARKS } from '../../fuzz/hostile-values';
import { expectWithinTime } from '../../support/time-limit';

const LINK = { type: 'link', content: 'https://menu.example/' };
const LOOK = textsOfStyle({ ...DEFAULT_STYLE, frame: 'badge', caption: 'Scan me' });
const TEXTS = ['content', 'ssid', 'passphrase', 'subject', 'body', 'name', 'tags', ...Object.keys(LOOK)];

function problemsOf(fields: object): string[] {
  const { error } = CreationForm.safeParse({ ...LINK, ...LOOK, ...fields });
  return (error?.issues ?? []).map(({ path, message }) => `${path.join('.')} ${message}`);
}

test.each(TEXTS)(
  'a creation with a far too long text for %s is refused quickly and only for that',
  (field) => {
    for (const type of ['link', 'email', 'wifi'])
      expectWithinTime(() => problemsOf({ type, [field]: MARKS.repeat(10) }), type);
    expect(problemsOf({ [field]: MARKS })).toEqual([
      expect.stringMatching(`^${field} (text_too_long|style_invalid)$`),
    ]);
  },
);

test('with a text that is too long, the other problems are reported, too', () => {
  const problems = problemsOf({ name: 'x'.repeat(501), tags: 'a,b,c,d,e,f,g,h,i,j,k', content: 'no link' });
  expect(problems).toEqual(['name text_too_long', 'content link_invalid', 'tags tags_too_many']);
});

test('a caption and a call to action of any length are checked quickly', () => {
  expectWithinTime(() => drawnStyleOf({ ...LOOK, caption: MARKS }));
  const form = new FormData();
  form.set('action', MARKS);
  expectWithinTime(() => readSheetChoice(form, 1, ''));
  expect(readSheetChoice(form, 1, '').problems).toEqual([{ field: 'action', key: 'action' }]);
});
