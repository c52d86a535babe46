import type { Problem } from '#contract/errors';
import { DEFAULT_STYLE } from '#contract/style-rules';
import { examineIfPossible } from '~/codes/look/examination.server';
import { LEAST_READINGS, type ScanReport } from '~/codes/look/scan-report';
import { applyFix, type Fix } from '~/codes/look/style-fixes';
import type { Design, FileOrder } from '~/codes/pictures/code-files.server';
import { CodeTooLongError } from '~/codes/pictures/code-image';
import { wasDrawingKilled } from '~/codes/pictures/drawing-pool.server';
import { CaptionError, PoorGradeError, UnreadableCodeError } from '~/codes/pictures/unreadable-code';
import { problemResponse } from '~/http/problem.server';
import type { UserScope } from '~/http/scope.server';
import { i18nOf } from '~/i18n/messages.server';

/** Says why there is no file, and of a look what would help; throws an error that says nothing about the code. */
export async function refuseFile(scope: UserScope, thrown: unknown, order?: FileOrder): Promise<Response> {
  const refuse = (code: string, pointer: string, message: string) =>
    problemResponse(scope, 'file_unreadable', { errors: [{ pointer, code, message }] });
  if (thrown instanceof CodeTooLongError)
    return refuse(
      'content_too_long',
      '?variant',
      'The content is too much for a code that holds it itself. Send variant=tracked, or shorten the content.',
    );
  if (thrown instanceof RangeError) {
    const message = 'The code does not fit into a file of this size. Send a larger one.';
    return problemResponse(scope, 'invalid', {
      errors: [{ pointer: '?size', code: 'file_too_small', message }],
    });
  }
  if (thrown instanceof CaptionError)
    return refuse(
      'caption_invalid',
      '/style/caption',
      'The caption has letters or signs that cannot be drawn.',
    );
  if (thrown instanceof UnreadableCodeError)
    return refuse(
      'not_read_back',
      '/logo',
      'A decoder could not read this code with its logo. Choose another.',
    );
  if (wasDrawingKilled(thrown))
    return refuse('drawing_given_up', '?size', 'Drawing took too long. Try again, or send a smaller size.');
  if (!order || !(thrown instanceof PoorGradeError)) throw thrown;
  const examination = await examineIfPossible(scope, order);
  return problemResponse(scope, 'file_unreadable', {
    errors: [
      { pointer: '/style', code: 'grade_too_low', message: gradeText(examination?.scan) },
      ...(examination?.fixes ?? []).map((fix) => fixFor(fix, order)),
    ],
  });
}

/** The grade in one line of English. */
export function gradeText(scan: ScanReport | undefined): string {
  if (!scan) return 'Decoders read this look too badly.';
  const t = i18nOf('gb').getFixedT(null, 'design');
  const { grade, read, of, missed } = scan;
  const text = grade
    ? t('scan.grade', { grade, read, of })
    : read < LEAST_READINGS.C
      ? t('scan.none', { read, of, least: LEAST_READINGS.C })
      : t('scan.unclear', { read, of });
  const views = missed.map(({ view }) => t(`scan.views.${view}`).toLowerCase());
  return `${text[0]?.toUpperCase()}${text.slice(1)}.${views.length > 0 ? ` ${t('scan.missed')} ${views.join(', ')}.` : ''}`;
}

/** What a fix changes, as it can be sent. */
export function fixFor(
  fix: Fix,
  { style, logo, useWhiteBackground = false }: Design,
): Problem['errors'][number] {
  const before = { style: style ?? DEFAULT_STYLE, hasLogo: logo !== undefined, useWhiteBackground };
  const after = applyFix(before, fix);
  const changed = Object.entries(after.style).filter(
    ([name, value]) => before.style[name as keyof typeof before.style] !== value,
  );
  const label = i18nOf('gb').getFixedT(null, 'design')(`fixes.${fix}`);
  const parts = [
    ...(changed.length > 0 ? [`style ${JSON.stringify(Object.fromEntries(changed))}`] : []),
    ...(after.hasLogo ? [] : before.hasLogo ? ['logo {"kind":"none"}'] : []),
    ...(after.useWhiteBackground === useWhiteBackground ? [] : ['useWhiteBackground true of the logo']),
  ];
  return { pointer: '/style', code: fix, message: `Would help: ${label} (${parts.join(', ')}).` };
}
