import '~/styles/statistics-filter.css';
import { Form, useLocation } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { Button } from '~/ui/button';
import { Field, SelectField } from '~/ui/field';
import { ErrorSummary } from '~/ui/form-errors';
import { RadioGroup } from '~/ui/radio-group';

interface Option {
  value: string;
  label: string;
}

interface CompareFormData {
  days: string;
  columns: { of: string; to: string }[];
  /** Message codes by position of the column. */
  errors: { position: number; code: string }[];
  codes: Option[];
  /** Tags and campaigns. */
  groups: Option[];
  hasMore: boolean;
  today: string;
}

const LENGTHS = ['7', '30', '90'] as const;
/** Columns beside each other; the others are folded away while they are empty. */
const SHOWN_AT_ONCE = 2;
const letterOf = (position: number) => 'ABCD'.charAt(position);

/** Chooses what is compared: a GET form of the page. */
export function CompareForm({ form }: { form: CompareFormData }) {
  const { t } = useTranslation('statistics');
  const { search } = useLocation();
  const textOf = (code: string) => t([`errors.${code}`, 'errors.invalid']);
  const columns = form.columns.map((column, position) => {
    const error = form.errors.find((one) => one.position === position);
    return (
      <ColumnFields
        key={letterOf(position)}
        form={form}
        column={column}
        position={position}
        error={error && textOf(error.code)}
      />
    );
  });
  return (
    <>
      <ErrorSummary
        errors={form.errors.map(({ position, code }) => ({
          field: `compare-to-${position}`,
          text: t('common:labelled', { label: letterOf(position), value: textOf(code) }),
        }))}
      />
      {/* Remounted when the address changes, so that the fields show its values. */}
      <Form key={search} method="get" className="form statistics-filter compare-form" noValidate>
        <RadioGroup
          field={{ id: 'compare-days', name: 'days', initialValue: form.days }}
          legend={t('filter.period')}
          options={LENGTHS.map((value) => ({ value, label: t(`filter.periods.${value}`) }))}
        />
        {columns.slice(0, SHOWN_AT_ONCE)}
        <details
          className="compare-form__more"
          open={form.columns.slice(SHOWN_AT_ONCE).some(({ of }) => of !== '')}
        >
          <summary>{t('compare.moreColumns')}</summary>
          <div>{columns.slice(SHOWN_AT_ONCE)}</div>
        </details>
        {form.hasMore && <p className="hint">{t('compare.more')}</p>}
        <Button>{t('compare.submit')}</Button>
      </Form>
    </>
  );
}

interface ColumnProps {
  form: CompareFormData;
  column: { of: string; to: string };
  position: number;
  error: string | undefined;
}

function ColumnFields({ form, column, position, error }: ColumnProps) {
  const { t } = useTranslation('statistics');
  return (
    <fieldset className="compare-form__column">
      <legend>{t('compare.column', { letter: letterOf(position) })}</legend>
      <SelectField
        field={{ id: `compare-of-${position}`, name: `of${position + 1}`, initialValue: column.of }}
        label={t('compare.of')}
        options={[
          { value: '', label: t('compare.nothing') },
          { value: 'all', label: t('filter.allCodes') },
          ...form.groups,
          ...form.codes,
        ]}
      />
      <Field
        type="date"
        field={{ id: `compare-to-${position}`, name: `to${position + 1}`, initialValue: column.to }}
        label={t('compare.to')}
        error={error}
        min="2020-01-01"
        max={form.today}
      />
    </fieldset>
  );
}
