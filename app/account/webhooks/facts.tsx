import { useTranslation } from 'react-i18next';
import type { Locale } from '#contract/locales';
import { DateTime } from '~/ui/time';
import { eventField } from './event-fields';
import type { Webhook } from './webhooks.server';

/** Where a webhook leads, whether it is on, and what it is told. */
export function WebhookFacts({ webhook, locale }: { webhook: Webhook; locale: Locale }) {
  const { t } = useTranslation('webhooks');
  const { url, description, events, tag, offReason, offAt } = webhook;
  return (
    <div>
      {description && <strong>{description}</strong>} <span className="mono web-address">{url}</span>
      <p>
        {t(`state.${offReason ?? 'on'}`)}
        {offAt && (
          <>
            {' '}
            ({t('state.since')} <DateTime value={offAt} locale={locale} />)
          </>
        )}
      </p>
      <p className="hint">
        {t('common:labelled', {
          label: t('told'),
          value: events.map((event) => t(`event.${eventField(event)}`)).join('\u00a0· '),
        })}
        {tag !== null && (
          <>
            <br />
            {t('tagged')} <strong>{tag}</strong>
          </>
        )}
      </p>
    </div>
  );
}
