import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Code } from '#contract/codes';
import { measureCaptioned } from '~/codes/pictures/caption.server';
import { CodeTooLongError } from '~/codes/pictures/code-image';

/** A code in modules: its symbol with the quiet zone, its width with the frame, and the ratio of height to width. */
export interface Measures {
  size: number;
  across: number;
  ratio: number;
}

const CODES_A_TURN = 5;
const SMALLEST: Measures = { size: 21 + 8, across: 21 + 8, ratio: 1 };

/** Null for a payload that fits no code. */
export function measureCode({ logo, style }: Pick<Code, 'logo' | 'style'>, payload: string): Measures | null {
  try {
    const { size, box } = measureCaptioned(payload, { logoHref: logo ? '' : undefined, style });
    return { size, across: box.width, ratio: box.height / box.width };
  } catch (thrown) {
    if (thrown instanceof CodeTooLongError) return null;
    throw thrown;
  }
}

/** The same of many codes, in turns: content that hardly fits takes some milliseconds each. */
export async function measureCodes(
  codes: Code[],
  payloadOf: (code: Code) => string,
): Promise<(Measures | null)[]> {
  const measures: (Measures | null)[] = [];
  for (const code of codes) {
    if (measures.length % CODES_A_TURN === CODES_A_TURN - 1) await nextTurn();
    measures.push(measureCode(code, payloadOf(code)));
  }
  return measures;
}

/** The one that has the smallest modules on a square label. */
export function largestOf(measures: (Measures | null)[]): Measures {
  return measures.reduce<Measures>(
    (largest, one) => (one && heightOf(one) > heightOf(largest) ? one : largest),
    SMALLEST,
  );
}

function heightOf({ across, ratio }: Measures): number {
  return across * ratio;
}
