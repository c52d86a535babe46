import { expect, test, vi } from 'vitest';
import { DEFAULT_STYLE, type ModuleShape } from '#contract/style-rules';
import { gradeDrawing, judgeLook } from '~/codes/pictures/grade.server';
import { drawStyled } from '~/codes/pictures/styled-drawing';
import { viewOf } from '~/codes/pictures/views.server';

vi.mock('~/codes/pictures/views.server', { spy: true });

const MUCH = 'https://example.com/'.padEnd(900, 'abcdefghij');

function drawn(payload: string, moduleShape: ModuleShape) {
  return drawStyled(payload, { style: { ...DEFAULT_STYLE, moduleShape } });
}

test('a look that fails a proof is refused before its views are drawn, and a report has them all', async () => {
  const drawing = drawn(MUCH, 'dots');
  expect((await judgeLook(drawing, MUCH)).verdict).toBe('unclear');
  expect(viewOf).not.toHaveBeenCalled();
  const { proofs } = await gradeDrawing(drawing, MUCH);
  expect(proofs.some(({ missedBy }) => missedBy.length > 0)).toBe(true);
  expect(viewOf).toHaveBeenCalledTimes(12);
});

test('a look that passes its proofs is shown in every view', async () => {
  vi.mocked(viewOf).mockClear();
  const payload = 'https://QDR.LI/R/7K3M9QX1';
  expect((await judgeLook(drawn(payload, 'dots'), payload)).verdict).toBe('graded');
  expect(viewOf).toHaveBeenCalledTimes(12);
});
