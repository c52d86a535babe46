import { useTranslation } from 'react-i18next';
import { Button } from '~/ui/button';
import { SelectField } from '~/ui/field';
import { Form } from '~/ui/form';
import { ErrorSummary, useErrorTexts } from '~/ui/form-errors';
import { Sheet } from '~/ui/page-layouts';
import { type LastResult, useServerValidatedForm } from '~/ui/server-validated-form';

interface Props {
  /** Null while none is known. */
  timeZone: string | null;
  /** What applies meanwhile. */
  usualZone: string;
  zones: { value: string; label: string }[];
  lastResult: LastResult;
}

/** The zone in which every page shows times and counts days. */
export function TimeZoneForm({ timeZone, usualZone, zones, lastResult }: Props) {
  const { t } = useTranslation('settings');
  const [form, fields] = useServerValidatedForm<'timeZone'>({
    id: 'time-zone',
    lastResult,
    defaultValue: { timeZone: timeZone ?? '' },
  });
  const { message, summary } = useErrorTexts('account', form);
  return (
    <Sheet id="time-zone-section" title={t('timeZone.heading')}>
      <ErrorSummary errors={summary} />
      {timeZone === null && (
        <p>
          {t('timeZone.unknown', {
            zone: zones.find(({ value }) => value === usualZone)?.label ?? usualZone,
          })}
        </p>
      )}
      <Form {...form.props} className="form">
        <input type="hidden" name="intent" value="time-zone" />
        <SelectField
          field={fields.timeZone}
          label={t('timeZone.label')}
          hint={t('timeZone.hint')}
          options={timeZone === null ? [{ value: '', label: t('timeZone.none') }, ...zones] : zones}
          error={message(fields.timeZone.errors)}
        />
        <Button variant="secondary">{t('timeZone.submit')}</Button>
      </Form>
    </Sheet>
  );
}
