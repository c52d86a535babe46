import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CodePicture, type Drawn } from '~/codes/code/picture';
import { FixButtons } from '~/codes/look/fixes';
import type { Findings } from '~/codes/look/scan-report';
import { ShortVerdict, Verdict } from '~/codes/look/verdict';
import { PhoneFrame } from '~/ui/phone-frame';
import type { FormRef } from './fields';
import { useLivePreview } from './use-live-preview';

const SmallPreview = lazy(() =>
  import('./small-preview').then(
    (module) => ({ default: module.SmallPreview }),
    // The large preview shows the same content.
    () => ({ default: () => null }),
  ),
);

export interface ServerPreview extends Findings {
  drawn: Drawn;
}

interface Props {
  formRef: FormRef;
  /** The last response of the server to the form. */
  actionData: unknown;
  server: ServerPreview | null;
  /** Whether the form shows an error about the design. */
  isMarked: boolean;
  /** Id of the form, and the URL it posts to. */
  form: { form: string; formAction: string };
}

const NOTHING_DRAWN = { isMarked: false, waiting: '' };

/** The phone with the current code, and below it the verdict on it. */
export function CodePreview({ formRef, actionData, server, isMarked, form }: Props) {
  const { t } = useTranslation('design');
  const live = useLivePreview(formRef, actionData, server);
  const drawn = live ? live.drawn : server?.drawn;
  const { examination, problem } = live ?? server ?? {};
  const verdict = { examination, problem, isMarked, waiting: t('preview.notRead') };
  const [section, setSection] = useState<Element | null>(null);
  return (
    <section
      ref={setSection}
      className="creation__preview"
      id={drawn ? 'preview' : undefined}
      aria-label={t('preview.title')}
    >
      {live?.drawn && (
        <Suspense fallback={null}>
          <SmallPreview formRef={formRef} large={section} drawn={live.drawn}>
            <ShortVerdict {...verdict} />
          </SmallPreview>
        </Suspense>
      )}
      <PhoneFrame label={t('preview.phone')}>
        {drawn ? (
          <CodePicture drawn={drawn} label={t('preview.picture')} />
        ) : (
          <p className="preview-empty">{live?.isTooLong ? t('preview.tooLong') : t('preview.empty')}</p>
        )}
        <Verdict {...(drawn ? verdict : NOTHING_DRAWN)} />
        {drawn && examination && <FixButtons fixes={examination.fixes} {...form} />}
      </PhoneFrame>
    </section>
  );
}
