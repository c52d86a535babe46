import { describe, expect, test } from 'vitest';
import { LOCALE_CODES, type Locale } from '#contract/locales';
import { checkStyle } from '#contract/style-rules';
import { readyMadeStyles } from '~/codes/look/ready-made-styles';
import { drawCaptioned, outlineCaption } from '~/codes/pictures/caption.server';
import { gradeDrawing } from '~/codes/pictures/grade.server';
import { i18nOf } from '~/i18n/messages.server';

const PAYLOAD = 'https://QDR.LI/R/7K3M9QX1';

function framedIn(locale: Locale) {
  const { exists, t } = i18nOf(locale);
  return readyMadeStyles((name) => {
    expect(exists(`look:captions.${name}`)).toBe(true);
    return t(`look:captions.${name}`);
  }).filter(({ style }) => style.frame !== 'none');
}

describe.each(LOCALE_CODES)('in %s', (locale) => {
  test.each(framedIn(locale))(
    'the caption of $name is within the limit and the letters of the font',
    ({ style }) => {
      expect(checkStyle(style)).toEqual({});
      expect(outlineCaption(style.caption)).not.toBeNull();
    },
  );
});

/** Each framed look with the longest of its captions, which comes closest to the code. */
const LONGEST = framedIn('gb').map(({ name }) => {
  const captioned = LOCALE_CODES.flatMap(framedIn).filter((one) => one.name === name);
  const [longest] = captioned.sort((one, other) => other.style.caption.length - one.style.caption.length);
  return { name, style: longest?.style };
});

test.each(LONGEST)('$name has grade A with the longest of its captions', async ({ style }) => {
  const { grade, missed } = await gradeDrawing(drawCaptioned(PAYLOAD, { style }), PAYLOAD);
  expect([grade, missed]).toEqual(['A', expect.anything()]);
});

test('each language has its own captions', () => {
  const captions = LOCALE_CODES.map((locale) => i18nOf(locale).t('look:captions.poster'));
  expect(new Set(captions).size).toBe(LOCALE_CODES.length);
});
