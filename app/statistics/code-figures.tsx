import { Link } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { buttonClass } from '~/ui/button';
import { Icon, type IconName } from '~/ui/icon';
import { FigureList, type ShownFigure } from './figure-list';

interface Props {
  id: string;
  statistics: { isLocked: true } | { isLocked: false; figures: ShownFigure[]; note: string | null };
}

/** How a code is doing: the figures of a month. */
export function CodeFigures({ id, statistics }: Props) {
  const { t } = useTranslation('statistics');
  if (statistics.isLocked) {
    return (
      <section className="code-figures">
        <h2>{t('sections.visits')}</h2>
        <p>
          {t('codePage.locked')} <Link to="/user/subscription">{t('locked.action')}</Link>
        </p>
      </section>
    );
  }
  return (
    <section className="code-figures">
      <h2>{t('codePage.heading')}</h2>
      <FigureList figures={statistics.figures} />
      {statistics.note && <p className="note">{statistics.note}</p>}
      <p>
        <Link to={`/user/analytics?code=${id}`} className={buttonClass('secondary')}>
          <Icon name="chart" />
          {t('codePage.more')}
        </Link>
      </p>
    </section>
  );
}

const HEALTH_ICONS: Record<string, IconName> = {
  new: 'plus',
  active: 'check',
  quiet: 'clock',
  never: 'warning',
};

/** The state of a code, in one sentence. */
export function HealthLine({ health, text }: { health: string; text: string }) {
  return (
    <p className={`health health--${health}`}>
      <Icon name={HEALTH_ICONS[health] ?? 'info'} />
      <span>{text}</span>
    </p>
  );
}
