import type { ReactNode } from 'react';
import type { CornerShape, Frame, ModuleShape } from '#contract/style-rules';

// Small icons of single shapes; the preview shows what the code looks like.

const SAMPLE = ['11010', '01110', '10011', '11001', '01101'];

export function ModulePicture({ shape }: { shape: ModuleShape }) {
  const rows = runsIn(SAMPLE);
  const columns = runsIn([...SAMPLE.keys()].map((column) => SAMPLE.map((row) => row[column]).join('')));
  const level = rows.map(({ line, from, to }) => `M${from + 0.5} ${line + 0.5}H${to - 0.5}`).join('');
  const upright = columns.map(({ line, from, to }) => `M${line + 0.5} ${from + 0.5}V${to - 0.5}`).join('');
  const paths: Record<ModuleShape, string> = {
    square: rows.map(({ line, from, to }) => `M${from} ${line}H${to}v1H${from}z`).join(''),
    rounded: level + upright,
    dots: rows
      .flatMap(({ line, from, to }) =>
        Array.from({ length: to - from }, (_, step) => `M${from + step + 0.5} ${line + 0.5}h0`),
      )
      .join(''),
    'bars-vertical': upright,
    'bars-horizontal': level,
  };
  return (
    <Picture viewBox="0 0 5 5">
      {shape === 'square' ? (
        <path d={paths.square} />
      ) : (
        <path
          d={paths[shape]}
          fill="none"
          stroke="currentColor"
          strokeWidth={shape === 'rounded' ? 1 : 0.88}
          strokeLinecap="round"
        />
      )}
    </Picture>
  );
}

/** Runs of ones, row by row. */
function runsIn(lines: string[]) {
  return lines.flatMap((text, line) =>
    [...text.matchAll(/1+/g)].map(({ index, 0: run }) => ({ line, from: index, to: index + run.length })),
  );
}

const RINGS: Record<CornerShape, string> = {
  square: 'M.5.5h6v6h-6z',
  rounded: 'M2.5.5h2a2 2 0 0 1 2 2v2a2 2 0 0 1-2 2h-2a2 2 0 0 1-2-2v-2a2 2 0 0 1 2-2z',
  circle: 'M3.5.5a3 3 0 0 1 0 6a3 3 0 0 1 0-6z',
  leaf: 'M.5.5h3.5a2.5 2.5 0 0 1 2.5 2.5v3.5h-3.5a2.5 2.5 0 0 1-2.5-2.5z',
};
const CENTRES: Record<CornerShape, string> = {
  square: 'M2 2h3v3h-3z',
  rounded: 'M3 2h1a1 1 0 0 1 1 1v1a1 1 0 0 1-1 1h-1a1 1 0 0 1-1-1v-1a1 1 0 0 1 1-1z',
  circle: 'M3.5 2a1.5 1.5 0 0 1 0 3a1.5 1.5 0 0 1 0-3z',
  leaf: 'M2 2h1.75a1.25 1.25 0 0 1 1.25 1.25v1.75h-1.75a1.25 1.25 0 0 1-1.25-1.25z',
};

export function RingPicture({ shape }: { shape: CornerShape }) {
  return (
    <Picture viewBox="0 0 7 7">
      <path d={RINGS[shape]} fill="none" stroke="currentColor" />
    </Picture>
  );
}

export function CentrePicture({ shape }: { shape: CornerShape }) {
  return (
    <Picture viewBox="0 0 7 7">
      <path d={RINGS.rounded} fill="none" stroke="currentColor" strokeWidth={0.4} opacity={0.6} />
      <path d={CENTRES[shape]} />
    </Picture>
  );
}

const CODE = 'M1 1h4v4h-4zM9 1h4v4h-4zM1 9h4v4h-4zM7 1v3M7 7h2v2M11 7h2M10 10v3M13 10v3';
const FRAMES: Record<Frame, string> = {
  none: '',
  'caption-below': 'M-3-3h20v25h-20zM-2-2v18h18v-18z',
  'caption-above': 'M-3-8h20v25h-20zM-2-2v18h18v-18z',
  badge: 'M-3-3h20v20h-20zM-2-2v18h18v-18zM3 17.5h8a2.2 2.2 0 0 1 0 4.5h-8a2.2 2.2 0 0 1 0-4.5z',
  ticket: 'M-3-3h20v17a2 2 0 0 0 0 4v4h-20v-4a2 2 0 0 0 0-4zM-2-2v18h18v-18z',
};

export function FramePicture({ frame }: { frame: Frame }) {
  const top = frame === 'caption-above' ? -8 : frame === 'none' ? -5.5 : -3;
  return (
    <Picture viewBox={`-5.5 ${top} 25 25`}>
      <path d={CODE} fill="none" stroke="currentColor" strokeWidth={1.4} />
      <path d={FRAMES[frame]} fillRule="evenodd" />
    </Picture>
  );
}

function Picture({ viewBox, children }: { viewBox: string; children: ReactNode }) {
  return (
    <svg viewBox={viewBox} width={44} height={44} fill="currentColor" aria-hidden="true">
      {children}
    </svg>
  );
}
