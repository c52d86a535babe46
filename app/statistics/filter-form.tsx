import { Form, useLocation } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import type { TextName } from '~/i18n/text-keys';
import { Button } from '~/ui/button';
import { Field, SelectField } from '~/ui/field';
import { ErrorSummary } from '~/ui/form-errors';
import { RadioGroup } from '~/ui/radio-group';

type FieldName = 'period' | 'from' | 'to' | 'code' | 'tag' | 'campaign' | 'timeZone';

interface Props {
  form: {
    values: Record<FieldName, string>;
    /** With the message code. */
    errors: { field: FieldName; code: string }[];
    periods: TextName<'statistics', 'filter.periods'>[];
    codes: { value: string; label: string }[];
    tags: { value: string; label: string }[];
    /** Whether any visit was led to a campaign. */
    hasCampaigns: boolean;
    /** Whether the account has more codes than listed here. */
    hasMore: boolean;
    zones: { value: string; label: string }[];
    /** The last day that can be chosen. */
    today: string;
  };
}

/** Nothing was counted before this day. */
const FIRST_DAY = '2020-01-01';

const idOf = (field: FieldName) => `filter-${field}`;

/** Chooses days and codes: a GET form of the page. */
export function StatisticsFilterForm({ form }: Props) {
  const { t } = useTranslation('statistics');
  const { search } = useLocation();
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
      {/* Remounted when the address changes, so that the fields show its values. */}
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
          {form.hasCampaigns && (
            <Field
              field={field('campaign')}
              label={t('filter.campaign')}
              hint={t('filter.tagHint')}
              error={errorOf('campaign')}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
            />
          )}
          <SelectField
            field={field('timeZone')}
            label={t('filter.timeZone')}
            hint={t('filter.timeZoneHint')}
            options={form.zones}
            error={errorOf('timeZone')}
          />
          <Button>{t('filter.submit')}</Button>
        </div>
      </Form>
    </>
  );
}
