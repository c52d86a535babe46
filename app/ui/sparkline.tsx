import '~/styles/sparkline.css';

const COLUMN = 8;
const GAP = 2;
const HEIGHT = 32;

interface Props {
  /** Visits of each day, today last. */
  days: number[];
  /** Their sum, in words. */
  label: string;
}

/** A column for each day, today in the accent colour. */
export function Sparkline({ days, label }: Props) {
  const most = Math.max(...days, 1);
  const columns = days.map((visits, day) => ({
    day,
    height: visits === 0 ? 1 : Math.max(3, Math.round((visits / most) * HEIGHT)),
  }));
  const width = days.length * (COLUMN + GAP) - GAP;
  return (
    <svg
      className="sparkline"
      viewBox={`0 0 ${width} ${HEIGHT}`}
      width={width}
      height={HEIGHT}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
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
