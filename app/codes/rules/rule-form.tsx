import { Link } from '@remix-run/react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { VARIANTS_LIMIT } from '#contract/routing-rules';
import { Fold } from '~/codes/code/fold';
import { Button, buttonClass } from '~/ui/button';
import { CheckboxField, Field, type FieldMeta, SelectField } from '~/ui/field';
import { Form } from '~/ui/form';
import { useErrorTexts } from '~/ui/form-errors';
import { FormPage } from '~/ui/page-layouts';
import { type LastResult, useServerValidatedForm } from '~/ui/server-validated-form';
import { LockedNote } from './locked-note';
import type { RuleFormView } from './rule-form.server';

const ROWS = Array.from({ length: VARIANTS_LIMIT }, (_, index) => index + 1);
const TIMES = ['from', 'to', 'startsOn', 'endsOn', 'timeZone'];
/** In page order. */
const NAMES = [
  'languages',
  'countries',
  ...TIMES,
  ...ROWS.flatMap((row) => [`target${row}`, `percent${row}`]),
];
const PERCENTS = ROWS.map((row) => `percent${row}`);
/** Fields whose errors depend on each other. */
const RELATED = {
  from: ['to'],
  to: ['from'],
  startsOn: ['endsOn'],
  ...Object.fromEntries(PERCENTS.map((name) => [name, PERCENTS])),
};

interface Props {
  page: RuleFormView;
  lastResult: LastResult;
}

/** Adds or changes a rule: whom it is for, when, and where it leads. */
export function RuleForm({ page, lastResult }: Props) {
  const { t } = useTranslation('routing');
  const [form] = useServerValidatedForm<string>({
    id: 'rule',
    lastResult,
    defaultValue: page.values,
    constraint: { target1: { required: true } },
    related: RELATED,
  });
  const { control, summary } = useErrorTexts('design', form, NAMES);
  const { number, code, isLocked, systems, weekdays, zones } = page;
  return (
    <FormPage
      title={number === null ? t('add.title') : t('change.title', { number })}
      lead={t('form.lead')}
      errors={summary}
    >
      {isLocked && <LockedNote />}
      <Form {...form.props} className="form rule-form">
        <Group legend={t('form.who')}>
          <Field
            {...control('languages')}
            label={t('form.languages')}
            hint={t('form.languagesHint')}
            autoComplete="off"
            optional
          />
          <Boxes legend={t('form.systems')} hint={t('form.systemsHint')}>
            {systems.map(({ value, label }) => (
              <CheckboxField key={value} {...control(value)} label={label} />
            ))}
          </Boxes>
          <Field
            {...control('countries')}
            label={t('form.countries')}
            hint={t('form.countriesHint')}
            autoComplete="off"
            optional
          />
        </Group>
        <Group legend={t('form.when')}>
          <Boxes legend={t('form.weekdays')}>
            {weekdays.map((name, index) => (
              <CheckboxField key={name} {...control(`day${index + 1}`)} label={name} />
            ))}
          </Boxes>
          <div className="rule-form__pair">
            <Field type="time" {...control('from')} label={t('form.from')} optional />
            <Field type="time" {...control('to')} label={t('form.to')} optional />
          </div>
          <p className="hint">{t('form.overnight')}</p>
          <div className="rule-form__pair">
            <Field type="date" {...control('startsOn')} label={t('form.startsOn')} optional />
            <Field type="date" {...control('endsOn')} label={t('form.endsOn')} optional />
          </div>
          <SelectField {...control('timeZone')} label={t('form.timeZone')} options={zones} />
        </Group>
        <Group legend={t('form.where')}>
          <TargetRow row={1} control={control} />
          <Fold
            id="split"
            summary={t('form.split')}
            isOpen={ROWS.slice(1).some((row) => Boolean(control(`target${row}`).field.initialValue))}
            hasErrors={hasRowErrors(control)}
          >
            <p className="hint">{t('form.splitHint')}</p>
            <PercentField row={1} control={control} />
            {ROWS.slice(1).map((row) => (
              <TargetRow key={row} row={row} control={control} />
            ))}
          </Fold>
        </Group>
        <div className="actions">
          {!isLocked && <Button>{t('form.submit')}</Button>}
          <Link to={`/user/qrcodes/${code.id}/rules`} className={buttonClass('quiet')}>
            {t('common:form.cancel')}
          </Link>
        </div>
      </Form>
    </FormPage>
  );
}

type Control = (name: string) => { field: FieldMeta; error: string | undefined };

function hasRowErrors(control: Control): boolean {
  return ROWS.some(
    (row) => control(`percent${row}`).error !== undefined || (row > 1 && control(`target${row}`).error),
  );
}

/** A target, with its percent beside it except for the first, whose percent is among those of the split. */
function TargetRow({ row, control }: { row: number; control: Control }) {
  const { t } = useTranslation('routing');
  const { field } = control(`route${row}`);
  return (
    <div className="rule-form__row">
      <input type="hidden" name={field.name} value={field.initialValue ?? ''} />
      <Field
        {...control(`target${row}`)}
        label={row === 1 ? t('form.target') : t('form.otherTarget', { number: row })}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
      />
      {row > 1 && <PercentField row={row} control={control} />}
    </div>
  );
}

function PercentField({ row, control }: { row: number; control: Control }) {
  const { t } = useTranslation('routing');
  return (
    <Field
      {...control(`percent${row}`)}
      label={t('form.percent', { number: row })}
      inputMode="numeric"
      className="rule-form__percent"
      suffix="%"
      autoComplete="off"
    />
  );
}

function Group({ legend, children }: { legend: string; children: ReactNode }) {
  return (
    <fieldset className="rule-form__group">
      <legend>{legend}</legend>
      {children}
    </fieldset>
  );
}

function Boxes({ legend, hint, children }: { legend: string; hint?: string; children: ReactNode }) {
  return (
    <fieldset className="field">
      <legend>{legend}</legend>
      {hint && <p className="hint">{hint}</p>}
      <div className="rule-form__boxes">{children}</div>
    </fieldset>
  );
}
