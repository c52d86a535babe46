import { Link } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { LOCALES } from '#contract/locales';
import { useLocale } from '~/i18n/use-locale';
import { buttonClass } from '~/ui/button';
import { SelectField } from '~/ui/field';
import { formatNumber } from '~/ui/format';
import { PageHeading } from '~/ui/page-layouts';

/** Orders of the codes in a file: by name, with numbers in names as numbers, by age, or as in the list. */
export const SORTS = ['name', 'newest', 'list'] as const;
export type Sort = (typeof SORTS)[number];

/** The order of the codes in a file. */
export function SortField({ id, sort }: { id: string; sort: Sort }) {
  const { t } = useTranslation('files');
  return (
    <SelectField
      field={{ id, name: 'sort', initialValue: sort }}
      label={t('sort.label')}
      options={SORTS.map((value) => ({ value, label: t(`sort.${value}`) }))}
    />
  );
}

/** Hidden fields that identify the chosen codes. */
export function SelectionFields({ selection }: { selection: [name: string, value: string][] }) {
  return selection.map(([name, value]) => (
    <input key={`${name} ${value}`} type="hidden" name={name} value={value} />
  ));
}

/** Says that a selection takes several files, which belong together only as long as the list stays as it is. */
export function PartsNote({ count, most }: { count: number; most: number }) {
  const { t } = useTranslation('files');
  const { tag } = LOCALES[useLocale()];
  return <p className="note">{t('parts', { count, most: formatNumber(most, tag) })}</p>;
}

/** Shown when a file is requested without any codes chosen. */
export function NoneChosen() {
  const { t } = useTranslation('files');
  return (
    <PageHeading title={t('none.heading')} lead={t('none.lead')}>
      <Link to="/user/qrcodes" className={buttonClass()}>
        {t('back')}
      </Link>
    </PageHeading>
  );
}
