import { useTranslation } from 'react-i18next';
import { ModuleDigits } from '~/ui/module-art';

const STEPS = ['enter', 'customize', 'download', 'share'] as const;

export function Steps() {
  const { t } = useTranslation('home');
  return (
    <section id="how" className="steps band">
      <h2>{t('steps.title')}</h2>
      <ol>
        {STEPS.map((step, position) => (
          <li key={step}>
            <ModuleDigits value={String(position + 1)} />
            <h3>{t(`steps.${step}.title`)}</h3>
            <p>{t(`steps.${step}.text`)}</p>
          </li>
        ))}
      </ol>
    </section>
  );
}
