import type { ReactNode } from 'react';
import type { Columns, Drawing, Lines, SeriesName, Steps, Tick } from './chart-data';

/** Patterns of `ChartFills` that tell the series apart besides their colour. */
const FILLS: Partial<Record<SeriesName, string>> = {
  clicks: 'url(#fill-hatched)',
  previews: 'url(#fill-hatched)',
  owner: 'url(#fill-dotted)',
};

interface PlotProps {
  drawing: Drawing;
  isSmall: boolean;
  /** Above the drawing, as large as it. */
  children?: ReactNode;
}

/**
 * A drawing that fills the available width, with labels of constant size: bars and labels are positioned in per cent.
 * It is hidden from screen readers, which have the sentence above and the table below.
 */
export function Plot({ drawing, isSmall, children }: PlotProps) {
  return (
    <div className={isSmall ? 'plot plot--small' : 'plot'}>
      <svg className="plot__up" aria-hidden="true">
        {drawing.y.map(({ at, label }) => (
          <text key={at} x="100%" y={`${at}%`} dy="0.35em">
            {label}{' '}
          </text>
        ))}
      </svg>
      <div className="plot__ground">
        <svg className="plot__lines" aria-hidden="true">
          {drawing.y.map(({ at }) => (
            <line key={at} x1="0" x2="100%" y1={`${at}%`} y2={`${at}%`} />
          ))}
        </svg>
        {drawing.kind === 'columns' && <ColumnBars drawing={drawing} />}
        {drawing.kind === 'steps' && <StepLine drawing={drawing} />}
        {drawing.kind === 'lines' && <ComparedLines drawing={drawing} />}
        {children}
      </div>
      <svg className="plot__across" aria-hidden="true">
        {drawing.x.map((tick) => (
          <AcrossLabel key={tick.at} tick={tick} />
        ))}
      </svg>
    </div>
  );
}

function ColumnBars({ drawing }: { drawing: Columns }) {
  return (
    <svg className="plot__bars" aria-hidden="true">
      {drawing.series.map(({ name, bars }) => (
        <g key={name} className={`series series--${name}`} fill={FILLS[name]}>
          {bars.map(({ x, y, width, height, isUnfinished }) => (
            <rect
              key={x}
              x={`${x}%`}
              y={`${y}%`}
              width={`${width}%`}
              height={`${height}%`}
              className={isUnfinished ? 'unfinished' : undefined}
            />
          ))}
        </g>
      ))}
    </svg>
  );
}

function StepLine({ drawing }: { drawing: Steps }) {
  return (
    <svg aria-hidden="true" viewBox="0 0 100 100" preserveAspectRatio="none">
      <path className="plot__area" d={drawing.area} />
      <path className="plot__line" d={drawing.line} />
      {drawing.unfinished && <path className="plot__line plot__line--unfinished" d={drawing.unfinished} />}
    </svg>
  );
}

function ComparedLines({ drawing }: { drawing: Lines }) {
  return (
    <>
      <svg aria-hidden="true" viewBox="0 0 100 100" preserveAspectRatio="none">
        {drawing.lines.map(({ letter, path }, position) => (
          <path key={letter} className={`plot__line plot__line--${position + 1}`} d={path} />
        ))}
      </svg>
      <svg className="plot__letters" aria-hidden="true">
        {drawing.lines.map(({ letter, end }, position) => (
          <text key={letter} x={`${end.x}%`} y={`${end.y}%`} dx={`${position * 0.7}em`} dy="-0.4em">
            {letter}{' '}
          </text>
        ))}
      </svg>
    </>
  );
}

/** Legend swatch of a compared line, from 1. */
export function LineSwatch({ number }: { number: number }) {
  return (
    <svg className="line-swatch" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
      <path className={`plot__line plot__line--${number}`} d="M0 5H100" />
    </svg>
  );
}

/** The outermost labels stay within the drawing. */
function AcrossLabel({ tick: { at, label, minor } }: { tick: Tick }) {
  const anchor = at < 5 ? 'start' : at > 95 ? 'end' : 'middle';
  const x = at < 5 ? 0 : at > 95 ? 100 : at;
  return (
    <text x={`${x}%`} y="1.1em" textAnchor={anchor} className={minor ? 'minor' : undefined}>
      {label}{' '}
    </text>
  );
}

/** Legend swatch of a series. */
export function Swatch({ series }: { series: SeriesName }) {
  return (
    <svg className="swatch" aria-hidden="true">
      <rect className={`series series--${series}`} fill={FILLS[series]} width="100%" height="100%" />
    </svg>
  );
}

/** Legend swatch of an unfinished day. */
export function UnfinishedSwatch() {
  return (
    <svg className="swatch" aria-hidden="true">
      <rect className="series unfinished" width="100%" height="100%" />
    </svg>
  );
}

/** Fill patterns of the page's drawings; render once per page. */
export function ChartFills() {
  return (
    <svg className="chart-fills" width="0" height="0" aria-hidden="true">
      <pattern
        id="fill-hatched"
        width="5"
        height="5"
        patternUnits="userSpaceOnUse"
        patternTransform="rotate(45)"
      >
        <rect width="2.5" height="5" />
      </pattern>
      <pattern id="fill-dotted" width="4" height="4" patternUnits="userSpaceOnUse">
        <rect width="2" height="2" />
      </pattern>
    </svg>
  );
}
