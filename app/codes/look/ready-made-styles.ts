import { DEFAULT_STYLE, type Style } from '#contract/style-rules';
import type { OfferedStyle } from './look-input';

/** Ready-made looks. Those with a frame have no caption here: it is worded in the reader's language. */
const READY_MADE = {
  ink: DEFAULT_STYLE,
  /** For a menu. */
  terrace: {
    ...DEFAULT_STYLE,
    moduleShape: 'bars-vertical',
    ringShape: 'rounded',
    centreShape: 'rounded',
    cornerColour: '#a4210d',
    frame: 'caption-below',
  },
  dots: { ...DEFAULT_STYLE, moduleShape: 'dots', ringShape: 'rounded', centreShape: 'circle' },
  /** For a bottle or a label. */
  vine: {
    ...DEFAULT_STYLE,
    moduleShape: 'rounded',
    ringShape: 'rounded',
    centreShape: 'leaf',
    moduleColour: '#1c5a39',
    cornerColour: '#123d27',
    groundColour: '#fbf8ee',
  },
  /** For a shop window. */
  'night-shop': {
    ...DEFAULT_STYLE,
    moduleShape: 'bars-horizontal',
    ringShape: 'rounded',
    centreShape: 'circle',
    moduleColour: '#3c1d6e',
    cornerColour: '#8f1046',
    gradientColour: '#8f1046',
    gradientAngle: 45,
    frame: 'badge',
    frameColour: '#3c1d6e',
  },
  /** For a business card. */
  card: {
    ...DEFAULT_STYLE,
    ringShape: 'rounded',
    centreShape: 'square',
    moduleColour: '#475066',
    cornerColour: '#2b3345',
  },
  /** To be read from across the street. */
  poster: {
    ...DEFAULT_STYLE,
    moduleColour: '#17130a',
    cornerColour: '#17130a',
    groundColour: '#ffd447',
    frame: 'caption-above',
    frameColour: '#17130a',
  },
  wedding: {
    ...DEFAULT_STYLE,
    moduleShape: 'rounded',
    ringShape: 'rounded',
    centreShape: 'leaf',
    moduleColour: '#54293a',
    cornerColour: '#6e4420',
    groundColour: '#fffaf5',
    frame: 'ticket',
    frameColour: '#6e4420',
  },
} as const satisfies Record<string, Style>;

export type ReadyMade = keyof typeof READY_MADE;
const READY_MADE_NAMES = Object.keys(READY_MADE) as ReadyMade[];

const FRAMED = ['terrace', 'night-shop', 'poster', 'wedding'] as const satisfies ReadyMade[];
type Framed = (typeof FRAMED)[number];

function isFramed(name: ReadyMade): name is Framed {
  return FRAMED.some((framed) => framed === name);
}

interface ReadyMadeStyle extends OfferedStyle {
  name: ReadyMade;
}

/** The ready-made looks; `captionOf` gives the caption of those with a frame. */
export function readyMadeStyles(captionOf: (name: Framed) => string): ReadyMadeStyle[] {
  return READY_MADE_NAMES.map((name) => {
    const style: Style = READY_MADE[name];
    return { name, style: isFramed(name) ? { ...style, caption: captionOf(name) } : style };
  });
}

export function findReadyMade(name: string): Style | null {
  return readyMadeStyles(() => '').find((offered) => offered.name === name)?.style ?? null;
}
