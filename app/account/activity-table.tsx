import { useTranslation } from 'react-i18next';
import type { Locale } from '~/i18n/locales';
import type { TextName } from '~/i18n/text-keys';
import { TableScroller } from '~/ui/table-scroller';
import { DateTime } from '~/ui/time';

interface Props {
  activities: { type: TextName<'dashboard', 'activity.types'>; at: string; ago: string }[];
  locale: Locale;
}

/** What happened in an account, the newest first. */
export function ActivityTable({ activities, locale }: Props) {
  const { t } = useTranslation('dashboard');
  return (
    <TableScroller labelledBy="activity-caption">
      <table className="table">
        <caption>
          <h2 id="activity-caption">{t('activity.heading')}</h2>
        </caption>
        <thead>
          <tr>
            <th scope="col">{t('activity.what')}</th>
            <th scope="col">{t('activity.when')}</th>
          </tr>
        </thead>
        <tbody>
          {activities.map(({ type, at, ago }) => (
            <tr key={`${type} ${at}`}>
              <th scope="row">{t(`activity.types.${type}`)}</th>
              <td>
                {ago}{' '}
                <span className="hint exact">
                  <DateTime value={at} locale={locale} />
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableScroller>
  );
}
