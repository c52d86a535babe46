import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CodePicture, type Drawn } from '~/codes/code/picture';
import { FixButtons } from '~/codes/look/fixes';
import { Receipt, ScanGrade } from '~/codes/look/scan-grade';
import type { Examination } from '~/codes/look/scan-report';
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

export interface ServerPreview {
  drawn: Drawn;
  examination: Examination;
}

interface Props {
  formRef: FormRef;
  /** The last response of the server to the form. */
  actionData: unknown;
  server: ServerPreview | null;
  /** Id of the form, and the URL it posts to. */
  form: { form: string; formAction: string };
}

/** The phone with the current code, and below it the decoders' results. */
export function CodePreview({ formRef, actionData, server, form }: Props) {
  const { t } = useTranslation('design');
  const live = useLivePreview(formRef, actionData, server);
  const drawn = live ? live.drawn : server?.drawn;
  const examination = live ? live.examination : server?.examination;
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
            <ReadBack drawn read={examination?.readBack} />
          </SmallPreview>
        </Suspense>
      )}
      <PhoneFrame label={t('preview.phone')}>
        {drawn ? (
          <CodePicture drawn={drawn} label={t('preview.picture')} />
        ) : (
          <p className="preview-empty">{live?.isTooLong ? t('preview.tooLong') : t('preview.empty')}</p>
        )}
        <ReadBack drawn={Boolean(drawn)} read={examination?.readBack} />
        {drawn && examination && <ScanGrade {...examination} />}
        {drawn && examination && <FixButtons fixes={examination.fixes} {...form} />}
      </PhoneFrame>
    </section>
  );
}

function ReadBack({ drawn, read }: { drawn: boolean; read: string | null | undefined }) {
  const { t } = useTranslation('design');
  if (!drawn) return null;
  if (read === undefined) return <Receipt state="waiting" text={t('preview.notRead')} />;
  if (read === null) return <Receipt state="unread" text={t('preview.unread')} />;
  return <Receipt state="reads-back" text={t('preview.readsBack', { content: shortened(read) })} />;
}

function shortened(content: string): string {
  const plain = content.replace(/^https?:\/\//i, '');
  const characters = [...plain];
  return characters.length > 60 ? `${characters.slice(0, 59).join('')}…` : plain;
}
