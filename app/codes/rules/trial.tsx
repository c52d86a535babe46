import { Form, useLocation } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { Button } from '~/ui/button';
import { Field, SelectField } from '~/ui/field';
import { ErrorSummary } from '~/ui/form-errors';
import { Icon, type IconName } from '~/ui/icon';
import { Sheet } from '~/ui/page-layouts';
import { Targets } from './rule-list';
import type { RulesView } from './rules.server';

/** Id of the answer, to which the form leads. */
const ANSWER = 'answer';

interface Props {
  page: Pick<RulesView, 'form' | 'trial' | 'figures'>;
  /** Of the page of the rules. */
  path: string;
}

/** A visit to make up, which a GET form of the page describes, and what it would get. */
export function Trial({ page: { form, trial, figures }, path }: Props) {
  const { t } = useTranslation('routing');
  const { search } = useLocation();
  const { visit, zone } = form;
  const field = (name: keyof typeof visit, id: string = name) => ({
    id: `try-${id}`,
    name,
    initialValue: visit[name],
  });
  const error = form.moment === null ? t('trial.noTime') : undefined;
  const unknown = { value: '', label: t('trial.unknown') };
  return (
    <Sheet title={t('trial.heading')} id="try" className="trial-sheet">
      <p>{t('trial.lead')}</p>
      <ErrorSummary errors={error ? [{ field: 'try-at', text: error }] : []} />
      {/* Remounted when the address changes, so that the fields show its values. */}
      <Form key={search} method="get" action={`${path}#${ANSWER}`} className="form trial" noValidate>
        {figures && figures.days !== 30 && <input type="hidden" name="period" value={figures.days} />}
        <div className="trial__fields">
          <Field
            type="datetime-local"
            field={{ ...field('at'), required: true }}
            label={t('trial.at', { zone })}
            error={error}
          />
          <SelectField
            field={field('country', 'place')}
            label={t('trial.country')}
            options={[unknown, ...form.countries]}
          />
          <SelectField field={field('system')} label={t('trial.system')} options={form.systems} />
          <SelectField
            field={field('language')}
            label={t('trial.language')}
            options={[unknown, ...form.languages]}
          />
        </div>
        <Button>{t('trial.submit')}</Button>
      </Form>
      {trial && <Answer trial={trial} />}
    </Sheet>
  );
}

const ICONS: Record<'answers' | 'later' | 'differs', IconName> = {
  answers: 'check',
  later: 'arrow-left',
  differs: 'close',
};

function Answer({ trial }: { trial: NonNullable<RulesView['trial']> }) {
  const { t } = useTranslation('routing');
  const { answer, number, message, variants, outcomes } = trial;
  const isClosed = answer === 'paused' || answer === 'ended';
  return (
    <section id={ANSWER} className="trial__answer" aria-labelledby={`${ANSWER}-heading`}>
      <h3 id={`${ANSWER}-heading`}>{t(`trial.answers.${answer}`, { number })}</h3>
      {variants.length > 0 && (
        <Targets variants={variants.map((one) => ({ ...one, visits: null }))} keepPath={null} />
      )}
      {isClosed && variants.length === 0 && (
        <p>
          {message ? (
            <>
              {t('trial.message')} <q>{message}</q>
            </>
          ) : (
            t('trial.ourMessage')
          )}
        </p>
      )}
      {variants.length > 1 && <p className="hint">{t('trial.split')}</p>}
      <ol className="outcomes">
        {outcomes.map(({ id, number, outcome, why }) => (
          <li key={id} className={`outcome outcome--${outcome}`}>
            <Icon name={ICONS[outcome]} />
            <div>
              <strong>{t('rules.number', { number })}</strong>
              {why.map((reason) => (
                <p key={reason}>{reason}</p>
              ))}
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}
