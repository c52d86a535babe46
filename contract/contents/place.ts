import type { ContentType, OpensCode, Stored } from './content-type';
import { checkParts, ofParts, readParts, SHORT, tidyParts } from './parts';
import { geoAddress, positionText, readPosition } from './positions';

const PARTS = {
  /** As in `48.137154, 11.576124`, or as somebody pasted it. */
  position: { max: 2_000, units: 2_000 },
  placeName: SHORT,
  placeAddress: SHORT,
} as const;

export interface PlaceParts {
  position?: string;
  placeName?: string;
  placeAddress?: string;
}

const OWN = ofParts(PARTS);

export const place = {
  ...OWN,
  visit: 'page',
  acts: ['map'],
  main: 'position',
  check(fields: PlaceParts, opensCode: OpensCode) {
    const { position } = tidyParts(PARTS, fields);
    const problem = position === undefined ? ('position_required' as const) : positionProblem(position);
    return [
      ...(problem ? [{ field: 'position', code: problem }] : []),
      ...checkParts(PARTS, fields, opensCode),
    ];
  },
  counted: (fields: PlaceParts) => compose(fields).content,
  compose,
  payload({ content }: Stored) {
    const position = readPosition(readParts<PlaceParts>(content).position ?? '');
    return position ? geoAddress(position) : '';
  },
  line(content: string) {
    const { placeName, placeAddress, position = '' } = readParts<PlaceParts>(content);
    return placeName || placeAddress || position;
  },
} as const satisfies ContentType<PlaceParts>;

function compose(fields: PlaceParts) {
  const position = readPosition(fields.position ?? '');
  return OWN.compose(position ? { ...fields, position: positionText(position) } : fields);
}

function positionProblem(entered: string) {
  if (readPosition(entered)) return null;
  // Only the map itself knows where a short address leads.
  return /^https?:\/\//i.test(entered) ? ('position_in_no_address' as const) : ('position_invalid' as const);
}
