import { useTranslation } from 'react-i18next';
import { LOCALES } from '#contract/locales';
import { MESSAGE_LIMIT } from '#contract/routing-rules';
import { Changeable } from '~/codes/code/changeable';
import { Fold } from '~/codes/code/fold';
import { useLocale } from '~/i18n/use-locale';
import { Button } from '~/ui/button';
import { Field, TextArea } from '~/ui/field';
import { Form } from '~/ui/form';
import { ErrorSummary, useErrorTexts } from '~/ui/form-errors';
import { formatNumber } from '~/ui/format';
import { type LastResult, useServerValidatedForm } from '~/ui/server-validated-form';
import { DateTime } from '~/ui/time';
import type { TimingView } from './timing.server';

interface Props {
  timing: TimingView;
  isLocked: boolean;
  lastResult: LastResult;
}

/** Pauses a code with a message, or resumes it. */
export function PauseFold({ timing: { pause }, isLocked, lastResult }: Props) {
  const { t } = useTranslation('routing');
  const [form] = useServerValidatedForm<'message'>({
    id: 'pause-form',
    lastResult,
    defaultValue: { message: pause?.message ?? '' },
  });
  const { control, summary } = useErrorTexts('design', form);
  return (
    <Fold
      id="pause"
      summary={t('pause.heading')}
      value={t(pause ? 'codes:list.routing.paused' : 'codes:now.notPaused')}
      isOpen={pause !== null}
      hasErrors={summary.length > 0}
    >
      <p>{t('pause.about')}</p>
      <ErrorSummary errors={summary} />
      <Form {...form.props}>
        <Changeable isLocked={isLocked}>
          <TextArea
            {...control('message')}
            label={t('pause.message')}
            hint={t('pause.messageHint', { count: MESSAGE_LIMIT })}
            rows={3}
            optional
          />
          <div className="actions">
            <Button variant="secondary" name="intent" value="pause">
              {t(pause ? 'pause.save' : 'pause.submit')}
            </Button>
            {pause && (
              <Button variant="secondary" name="intent" value="resume">
                {t('pause.resume')}
              </Button>
            )}
          </div>
        </Changeable>
      </Form>
    </Fold>
  );
}

/** Ends a code at a moment or after a number of visits. */
export function LimitFold({ timing, visits, isLocked, lastResult }: Props & { visits: number }) {
  const { t } = useTranslation('routing');
  const { end, timeZone, zone } = timing;
  const [form] = useServerValidatedForm<'at' | 'visits' | 'target' | 'message'>({
    id: 'end-form',
    lastResult,
    defaultValue: {
      at: end?.input ?? '',
      visits: end?.visits ? String(end.visits) : '',
      target: end?.target ?? '',
      message: end?.message ?? '',
    },
    related: { visits: ['at'] },
  });
  const { control, summary } = useErrorTexts('design', form, ['at', 'visits', 'target', 'message']);
  return (
    <Fold
      id="end"
      summary={t('end.heading')}
      value={<EndValue end={end} />}
      isOpen={end?.hasEnded === true}
      hasErrors={summary.length > 0}
    >
      <p>{t('end.about')}</p>
      <ErrorSummary errors={summary} />
      <Form {...form.props}>
        <input type="hidden" name="timeZone" value={timeZone} />
        <Changeable isLocked={isLocked}>
          <Field type="datetime-local" {...control('at')} label={t('end.at', { zone })} optional />
          <Field
            {...control('visits')}
            label={t('end.visits')}
            hint={t('end.visitsHint', { now: visits })}
            inputMode="numeric"
            autoComplete="off"
            optional
          />
          <Field
            {...control('target')}
            label={t('end.target')}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            optional
          />
          <TextArea
            {...control('message')}
            label={t('end.message')}
            hint={t('end.messageHint', { count: MESSAGE_LIMIT })}
            rows={3}
            optional
          />
          <p className="hint">{t('end.mails')}</p>
          <div className="actions">
            <Button variant="secondary" name="intent" value="end">
              {t('end.submit')}
            </Button>
            {end && (
              <Button variant="secondary" name="intent" value="endless">
                {t('end.remove')}
              </Button>
            )}
          </div>
        </Changeable>
      </Form>
    </Fold>
  );
}

/** When a code ends; the first to come of a moment and a number of visits. */
function EndValue({ end }: Pick<TimingView, 'end'>) {
  const { t } = useTranslation('codes');
  const locale = useLocale();
  if (!end) return t('now.noEnd');
  if (end.hasEnded) return t('list.routing.ended');
  const { at, visits } = end;
  return (
    <>
      {at && <DateTime value={at} locale={locale} />}
      {at && visits !== null && ' · '}
      {visits !== null && (
        <span suppressHydrationWarning>
          {t('now.ends', { count: visits, visits: formatNumber(visits, LOCALES[locale].tag) })}
        </span>
      )}
    </>
  );
}

/** Gives a link code a target that takes over at a moment. */
export function ScheduleFold({ timing: { schedule, timeZone, zone }, isLocked, lastResult }: Props) {
  const { t } = useTranslation('routing');
  const locale = useLocale();
  const [form] = useServerValidatedForm<'at' | 'target'>({
    id: 'schedule-form',
    lastResult,
    defaultValue: { at: schedule?.input ?? '', target: schedule?.target ?? '' },
    constraint: { at: { required: true }, target: { required: true } },
  });
  const { control, summary } = useErrorTexts('design', form, ['at', 'target']);
  return (
    <Fold
      id="schedule"
      summary={t('schedule.heading')}
      value={schedule ? <DateTime value={schedule.at} locale={locale} /> : t('codes:now.noSchedule')}
      hasErrors={summary.length > 0}
    >
      <p>{t('schedule.about')}</p>
      <ErrorSummary errors={summary} />
      <Form {...form.props}>
        <input type="hidden" name="timeZone" value={timeZone} />
        <Changeable isLocked={isLocked}>
          <Field type="datetime-local" {...control('at')} label={t('schedule.at', { zone })} />
          <Field
            {...control('target')}
            label={t('schedule.target')}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
          />
          <div className="actions">
            <Button variant="secondary" name="intent" value="schedule">
              {t(schedule ? 'schedule.save' : 'schedule.submit')}
            </Button>
            {schedule && (
              <Button variant="secondary" name="intent" value="unschedule">
                {t('schedule.remove')}
              </Button>
            )}
          </div>
        </Changeable>
      </Form>
    </Fold>
  );
}
