import { divide, type LayoutName, layOut, type Place } from './sheet-layouts';

interface Props {
  layout: LayoutName;
  start: number;
  count: number;
  hasCutMarks: boolean;
  hasName: boolean;
  hasAction: boolean;
  label: string;
}

/** Finder patterns of a code, in sevenths of its width: enough to show what will be printed where. */
const FINDERS = [
  [0, 0],
  [5, 0],
  [0, 5],
] as const;

/** The first page in outline: its labels, including empty ones, and where codes and captions go. */
export function SheetPreview({ layout, start, count, hasCutMarks, hasName, hasAction, label }: Props) {
  const { page, places } = layOut(layout, hasCutMarks);
  const isUsed = (place: number) => place >= start - 1 && place < start - 1 + count;
  return (
    <svg
      className="sheet-preview"
      viewBox={`0 0 ${page.width} ${page.height}`}
      role="img"
      aria-label={label}
      strokeWidth={0.4}
    >
      <rect className="sheet-preview__page" width={page.width} height={page.height} />
      {places.map((place, number) => (
        <g key={`${place.x} ${place.y}`}>
          <rect
            className="sheet-preview__label"
            x={place.x}
            y={place.y}
            width={place.width}
            height={place.height}
            strokeDasharray={isUsed(number) ? undefined : '2 2'}
          />
          {isUsed(number) && <LabelOutline place={place} hasName={hasName} hasAction={hasAction} />}
        </g>
      ))}
    </svg>
  );
}

function LabelOutline({ place, hasName, hasAction }: { place: Place; hasName: boolean; hasAction: boolean }) {
  const { code, caption } = divide(place, hasName || hasAction);
  const quiet = code.width * 0.1;
  const inner = { x: code.x + quiet, y: code.y + quiet, side: code.width - 2 * quiet };
  const seventh = inner.side / 7;
  const line = caption ? Math.min(caption.height * 0.16, 8) : 0;
  return (
    <>
      <g className="sheet-preview__ink">
        {FINDERS.map(([column, row]) => (
          <rect
            key={`${column} ${row}`}
            x={inner.x + column * seventh}
            y={inner.y + row * seventh}
            width={2 * seventh}
            height={2 * seventh}
          />
        ))}
        <rect x={inner.x + 3 * seventh} y={inner.y + 3 * seventh} width={seventh} height={seventh} />
        <rect x={inner.x + 5 * seventh} y={inner.y + 4 * seventh} width={seventh} height={2 * seventh} />
        <rect x={inner.x + 3 * seventh} y={inner.y + 6 * seventh} width={2 * seventh} height={seventh} />
      </g>
      {caption && (
        <g className="sheet-preview__text">
          {hasName && <rect x={caption.x} y={caption.y + line} width={caption.width} height={line * 1.2} />}
          {hasAction && (
            <rect
              x={caption.x + caption.width * 0.1}
              y={caption.y + line * (hasName ? 3 : 1)}
              width={caption.width * 0.8}
              height={line}
            />
          )}
        </g>
      )}
    </>
  );
}
