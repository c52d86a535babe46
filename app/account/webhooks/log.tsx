import { useTranslation } from 'react-i18next';
import type { Locale } from '#contract/locales';
import { usePolling } from '~/ui/background-refresh';
import { Button } from '~/ui/button';
import { Form } from '~/ui/form';
import { Pagination } from '~/ui/pagination';
import { DateTime } from '~/ui/time';
import { eventField } from './event-fields';
import type { Deliveries } from './webhooks.server';

type Delivery = Deliveries['data'][number];

interface Props extends Deliveries {
  path: string;
  locale: Locale;
}

/** A message that has just been written is answered soon. */
const POLLING = { everyMs: 1_500, most: 12 };

/** The messages of a webhook, newest first, each with how it was answered. */
export function DeliveryLog({ data, meta, path, locale }: Props) {
  const { t } = useTranslation('webhooks');
  const isFresh = data.some(({ status, failures }) => status === 'waiting' && failures === 0);
  usePolling(isFresh, t('log.answered'), POLLING);
  if (data.length === 0) return <p>{t('log.none')}</p>;
  return (
    <>
      <ul className="session-list">
        {data.map((delivery) => (
          <li key={delivery.id}>
            <DeliveryRow delivery={delivery} locale={locale} />
          </li>
        ))}
      </ul>
      <Pagination {...meta} path={path} fragment="log" label={t('log.pages')} />
    </>
  );
}

function DeliveryRow({ delivery, locale }: { delivery: Delivery; locale: Locale }) {
  const { t } = useTranslation('webhooks');
  const { id, type, status, manual, createdAt, lastAttempt, body } = delivery;
  const name = t(`event.${eventField(type)}`);
  return (
    <>
      <div className="delivery">
        <strong>{name}</strong> <span className="badge">{t(`log.${status}`)}</span>
        <p className="hint">
          <DateTime value={createdAt} locale={locale} />
          {manual && <> · {t('log.manual')}</>}
          <Answer delivery={delivery} locale={locale} />
        </p>
        <details>
          <summary>
            {t('log.body')}
            <span className="sr-only"> {name}</span>
          </summary>
          <pre className="mono">{JSON.stringify(JSON.parse(body), null, 2)}</pre>
          {lastAttempt?.excerpt && (
            <>
              <p>{t('log.excerpt')}</p>
              <pre className="mono">{lastAttempt.excerpt}</pre>
            </>
          )}
        </details>
      </div>
      <Form>
        <input type="hidden" name="delivery" value={id} />
        <Button variant="secondary" size="small" name="intent" value="resend">
          {t('log.again')}
          <span className="sr-only"> {name}</span>
        </Button>
      </Form>
    </>
  );
}

const PROBLEMS = ['dns', 'tls', 'unreachable', 'timeout', 'refused', 'unsure'] as const;

/** How a message was answered last, and when it is tried again. */
function Answer({ delivery, locale }: { delivery: Delivery; locale: Locale }) {
  const { t } = useTranslation('webhooks');
  const { lastAttempt, failures, nextAt } = delivery;
  if (!lastAttempt) return null;
  const { response, ms } = lastAttempt;
  const problem = PROBLEMS.find((one) => one === lastAttempt.problem) ?? 'unsure';
  return (
    <>
      <br />
      {response === null
        ? t('log.noResponse', { ms, problem: t(`problem.${problem}`) })
        : t('log.response', { response, ms })}
      {failures > 1 && <> · {t('log.failures', { count: failures })}</>}
      {nextAt && (
        <>
          <br />
          {t('log.next')} <DateTime value={nextAt} locale={locale} />
        </>
      )}
    </>
  );
}
