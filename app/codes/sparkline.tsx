import { useTranslation } from 'react-i18next';

const COLUMN = 8;
const GAP = 2;
const HEIGHT = 32;

/** A column for each day, today last and in the accent; what they add up to is told in words. */
export function Sparkline({ days }: { days: number[] }) {
  const { t } = useTranslation('codes');
  const most = Math.max(...days, 1);
  const columns = days.map((visits, day) => ({
    day,
    height: visits === 0 ? 1 : Math.max(3, Math.round((visits / most) * HEIGHT)),
  }));
  const count = days.reduce((sum, visits) => sum + visits, 0);
  const width = days.length * (COLUMN + GAP) - GAP;
  return (
    <svg
      className="sparkline"
      viewBox={`0 0 ${width} ${HEIGHT}`}
      width={width}
      height={HEIGHT}
      role="img"
      aria-label={t('list.recent', { count, days: days.length })}
    >
      {columns.map(({ day, height }) => (
        <rect
          key={day}
          x={day * (COLUMN + GAP)}
          y={HEIGHT - height}
          width={COLUMN}
          height={height}
          className={day === days.length - 1 ? 'today' : undefined}
        />
      ))}
    </svg>
  );
}
