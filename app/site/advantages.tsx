import { useTranslation } from 'react-i18next';
import { ModulePicture } from '~/ui/module-art';

// Heart, check mark, page, bars, coin.
const PICTURES = [
  ['alive', '66ffffff7e3c1800'],
  ['proven', '0103068ccc783000'],
  ['plain', '7e42725a425a427e'],
  ['numbers', '0303031b1bdbdbff'],
  ['money', '3c42b9a1a1b9423c'],
] as const;

/** The five promises, ruled like a ledger. */
export function Advantages() {
  const { t } = useTranslation('home');
  return (
    <section id="advantages" className="advantages band">
      <h2>{t('advantages.title')}</h2>
      <ul>
        {PICTURES.map(([name, rows]) => (
          <li key={name}>
            <ModulePicture rows={rows} />
            <h3>{t(`advantages.items.${name}.title`)}</h3>
            <p>{t(`advantages.items.${name}.text`)}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}
