import { Form, useLocation } from '@remix-run/react';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { TextName } from '~/i18n/text-keys';
import { Button } from '~/ui/button';
import { ErrorSummary } from '~/ui/error-summary';
import { Field } from '~/ui/field';
import { RadioGroup } from '~/ui/radio-group';
import { SelectField } from '~/ui/select-field';

type FieldName = 'period' | 'from' | 'to' | 'code' | 'tag' | 'timeZone';

interface Props {
  form: {
    values: Record<FieldName, string>;
    /** With the code of the message. */
    errors: { field: FieldName; code: string }[];
    periods: TextName<'statistics', 'filter.periods'>[];
    codes: { value: string; label: string }[];
    tags: { value: string; label: string }[];
    /** Whether the account has codes that are not listed here. */
    hasMore: boolean;
    zones: { value: string; label: string }[];
    /** Nothing was counted after this day. */
    today: string;
  };
}

/** Nothing was counted before. */
const FIRST_DAY = '2020-01-01';

const idOf = (field: FieldName) => `filter-${field}`;

/** Which days of which codes: a GET form of the page. */
export function StatisticsFilterForm({ form }: Props) {
  const { t } = useTranslation('statistics');
  const { search } = useLocation();
  useShownZone(form.values.timeZone);
  const textOf = (code: string) => t([`errors.${code}`, 'errors.invalid']);
  const errorOf = (name: FieldName) => {
    const error = form.errors.find(({ field }) => field === name);
    return error && textOf(error.code);
  };
  const field = (name: FieldName) => ({ id: idOf(name), name, initialValue: form.values[name] });
  return (
    <>
      <ErrorSummary
        errors={form.errors.map(({ field, code }) => ({ field: idOf(field), text: textOf(code) }))}
      />
      {/* What another address asks for is written into the fields anew. */}
      <Form key={search} method="get" className="form statistics-filter" noValidate>
        <RadioGroup
          field={field('period')}
          legend={t('filter.period')}
          options={form.periods.map((value) => ({ value, label: t(`filter.periods.${value}`) }))}
          error={errorOf('period')}
        />
        <div className="statistics-filter__range">
          <Field
            type="date"
            field={field('from')}
            label={t('filter.from')}
            error={errorOf('from')}
            min={FIRST_DAY}
            max={form.today}
          />
          <Field
            type="date"
            field={field('to')}
            label={t('filter.to')}
            error={errorOf('to')}
            min={FIRST_DAY}
            max={form.today}
          />
        </div>
        <div className="statistics-filter__more">
          <SelectField
            field={field('code')}
            label={t('filter.code')}
            hint={form.hasMore ? t('filter.more') : undefined}
            options={[{ value: '', label: t('filter.allCodes') }, ...form.codes]}
            error={errorOf('code')}
          />
          {form.tags.length > 0 && (
            <SelectField
              field={field('tag')}
              label={t('filter.tag')}
              hint={t('filter.tagHint')}
              options={[{ value: '', label: t('filter.allTags') }, ...form.tags]}
              error={errorOf('tag')}
            />
          )}
          <SelectField
            field={field('timeZone')}
            label={t('filter.timeZone')}
            hint={t('filter.timeZoneHint')}
            options={form.zones}
            error={errorOf('timeZone')}
          />
        </div>
        <Button>{t('filter.submit')}</Button>
      </Form>
    </>
  );
}

/** The zone of the device may be found out while the page is open: the field follows, unless somebody changed it. */
function useShownZone(timeZone: string): void {
  const shown = useRef(timeZone);
  useEffect(() => {
    const select = document.getElementById(idOf('timeZone'));
    if (select instanceof HTMLSelectElement && select.value === shown.current) select.value = timeZone;
    shown.current = timeZone;
  }, [timeZone]);
}
