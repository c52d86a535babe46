import type { ImportDuplicate, ImportProblem } from '#contract/imports';
import type { Locale } from '~/i18n/locales';
import { errorTexts, i18nOf } from '~/i18n/messages.server';

/** Problems as the page and the file show them, in the reader's language. */
export function wordProblems(problems: ImportProblem[], locale: Locale) {
  const texts = errorTexts(locale, ['design'], [...new Set(problems.map(({ reason }) => reason))]);
  const t = i18nOf(locale).getFixedT(null, 'codes');
  return problems.map(({ row, column, field, value, reason }) => ({
    row,
    column: column ?? t(`import.fields.${field}`),
    value,
    reason: texts[reason] ?? reason,
  }));
}

/** Duplicates as the page and the file show them, in the reader's language. */
export function wordDuplicates(duplicates: ImportDuplicate[], locale: Locale) {
  const t = i18nOf(locale).getFixedT(null, 'codes');
  return duplicates.map(({ row, of }) => ({ row, same: of ?? t('importReport.ownCode') }));
}
