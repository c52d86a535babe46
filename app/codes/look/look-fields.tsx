import '~/styles/look.css';
import { type ReactNode, useMemo, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { LOCALES } from '#contract/locales';
import type { StyleField } from '#contract/style-fields';
import {
  CORNER_SHAPES,
  contrast,
  FRAMES,
  LEAST_CONTRAST,
  luminance,
  MODULE_SHAPES,
  type Style,
  tidyCaption,
} from '#contract/style-rules';
import { useLocale } from '~/i18n/use-locale';
import { CheckboxField, controlProps, Field, type FieldMeta, FieldNotes } from '~/ui/field';
import { Icon } from '~/ui/icon';
import { RadioGroup } from '~/ui/radio-group';
import { AngleField } from './angle-field';
import { FixButtons } from './fixes';
import { drawnStyleOf, OWN, pickable, type SavedLook, type StyleTexts } from './look-input';
import { CentrePicture, FramePicture, ModulePicture, RingPicture } from './look-pictures';
import { readyMadeStyles } from './ready-made-styles';
import { Receipt } from './scan-grade';
import { colourFixes, frameFixes } from './style-fixes';
import { type LookField, useLookControls } from './use-look-controls';

export interface LookProps {
  fields: Record<LookField, FieldMeta>;
  message: (codes: string[] | undefined) => string | undefined;
  saved: SavedLook[];
  /** Label of the form's main button. */
  main: string;
}

/** All controls of a code's look; works without scripts. */
export function LookFields({ fields, message, saved, main }: LookProps) {
  const { t } = useTranslation('look');
  const box = useRef<HTMLDivElement>(null);
  const readyMade = useMemo(() => readyMadeStyles((name) => t(`captions.${name}`)), [t]);
  const offered = useMemo(() => [...readyMade, ...saved], [readyMade, saved]);
  const { texts, fields: shown, before } = useLookControls(box, fields, offered);
  const error = (name: StyleField) => message(fields[name].errors);
  return (
    <div className="look" ref={box}>
      <RadioGroup
        layout="tiles"
        legend={t('readyMade.legend')}
        field={shown.readyMade}
        options={[
          ...readyMade.map(({ name }) => ({
            value: name,
            label: (
              <Named picture={<LookPicture address={`/looks/${name}.svg`} />}>{t(`readyMade.${name}`)}</Named>
            ),
          })),
          ...saved.map(({ name, title, picture }) => ({
            value: name,
            label: <Named picture={<LookPicture address={picture} />}>{title}</Named>,
          })),
          { value: OWN, label: <Named picture={<Icon name="settings" />}>{t('readyMade.own')}</Named> },
        ]}
      />
      <input type="hidden" name="readyMadeBefore" value={before.readyMade} />
      <input type="hidden" name="pickedBefore" value={before.picked} />
      <RadioGroup
        layout="tiles"
        legend={t('modules.legend')}
        field={shown.moduleShape}
        error={error('moduleShape')}
        options={MODULE_SHAPES.map((shape) => ({
          value: shape,
          label: <Named picture={<ModulePicture shape={shape} />}>{t(`modules.${shape}`)}</Named>,
        }))}
      />
      <div className="look__pair">
        <RadioGroup
          layout="tiles"
          legend={t('rings')}
          field={shown.ringShape}
          error={error('ringShape')}
          options={CORNER_SHAPES.map((shape) => ({
            value: shape,
            label: <Named picture={<RingPicture shape={shape} />}>{t(`corners.${shape}`)}</Named>,
          }))}
        />
        <RadioGroup
          layout="tiles"
          legend={t('centres')}
          field={shown.centreShape}
          error={error('centreShape')}
          options={CORNER_SHAPES.map((shape) => ({
            value: shape,
            label: <Named picture={<CentrePicture shape={shape} />}>{t(`corners.${shape}`)}</Named>,
          }))}
        />
      </div>
      <Colours fields={shown} texts={texts} error={error} main={main} />
      <FrameFields fields={shown} texts={texts} error={error} main={main} />
    </div>
  );
}

interface PartProps {
  fields: LookProps['fields'];
  /** Their current values. */
  texts: StyleTexts;
  error: (name: StyleField) => string | undefined;
}

function Colours({ fields, texts, error, main }: PartProps & Pick<LookProps, 'main'>) {
  const { t } = useTranslation('look');
  const style = drawnStyleOf(texts);
  return (
    <fieldset className="field">
      <legend>{t('colours.legend')}</legend>
      <p className="hint">{t('colours.hint')}</p>
      <div className="look__colours">
        <ColourField field={fields.moduleColour} label={t('colours.modules')} error={error('moduleColour')} />
        <ColourField field={fields.cornerColour} label={t('colours.corners')} error={error('cornerColour')} />
        <ColourField field={fields.groundColour} label={t('colours.ground')} error={error('groundColour')} />
      </div>
      <LeastContrast style={style} />
      <FixButtons fixes={colourFixes(style)} main={main} />
      <CheckboxField field={fields.gradient} label={t('gradient.label')} />
      <div className="look__gradient look__colours">
        <ColourField
          field={fields.gradientColour}
          label={t('colours.second')}
          error={error('gradientColour')}
        />
        <AngleField field={fields.gradientAngle} angle={texts.gradientAngle} error={error('gradientAngle')} />
      </div>
      <CheckboxField
        field={fields.transparentGround}
        label={t('transparent.label')}
        hint={t('transparent.hint')}
      />
    </fieldset>
  );
}

function FrameFields({ fields, texts, error, main }: PartProps & Pick<LookProps, 'main'>) {
  const { t } = useTranslation('look');
  const { length } = Array.from(tidyCaption(texts.caption));
  return (
    <>
      <RadioGroup
        layout="tiles"
        legend={t('frame.legend')}
        field={fields.frame}
        error={error('frame')}
        options={FRAMES.map((frame) => ({
          value: frame,
          label: <Named picture={<FramePicture frame={frame} />}>{t(`frame.${frame}`)}</Named>,
        }))}
      />
      <div className="look__caption">
        <Field
          field={fields.caption}
          label={t('caption.label')}
          hint={length === 0 ? t('caption.limit') : t('caption.length', { length })}
          error={error('caption')}
          autoComplete="off"
        />
        <ColourField field={fields.frameColour} label={t('colours.frame')} error={error('frameColour')} />
      </div>
      <FixButtons fixes={frameFixes(drawnStyleOf(texts))} lead={t('design:fixes.leadToFrame')} main={main} />
    </>
  );
}

/** A picture above its name. */
function Named({ picture, children }: { picture: ReactNode; children: ReactNode }) {
  return (
    <>
      <span className="look__picture">{picture}</span>
      <span className="look__name">{children}</span>
    </>
  );
}

function LookPicture({ address }: { address: string }) {
  return <img src={address} alt="" width={96} height={96} loading="lazy" />;
}

interface Props {
  field: FieldMeta;
  label: string;
  error: string | undefined;
}

/**
 * Text input for a colour, which is authoritative, and the browser's colour picker, which fills in the text.
 */
function ColourField({ field, label, error }: Props) {
  const { t } = useTranslation('look');
  return (
    <div className="field colour">
      <label htmlFor={field.id}>{label}</label> <FieldNotes id={field.id} error={error} />
      <div className="colour__controls">
        <label htmlFor={`${field.id}-picked`} className="sr-only">
          {t('colours.pick', { name: label })}
        </label>{' '}
        <input
          type="color"
          id={`${field.id}-picked`}
          name={`${field.name}Picked`}
          defaultValue={pickable(field.initialValue)}
        />{' '}
        <input
          type="text"
          {...controlProps(field, { error })}
          defaultValue={field.initialValue}
          className="input mono"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          size={9}
        />
      </div>
    </div>
  );
}

/** The lowest contrast with the background, as a WCAG ratio. */
function LeastContrast({ style }: { style: Style }) {
  const { t } = useTranslation('look');
  const { tag } = LOCALES[useLocale()];
  const { groundColour, moduleColour, cornerColour, gradientColour } = style;
  const colours = [moduleColour, cornerColour, ...(gradientColour === null ? [] : [gradientColour])];
  const least = Math.min(...colours.map((colour) => contrast(colour, groundColour)));
  const isInverted = colours.some((colour) => luminance(colour) > luminance(groundColour));
  // Rounded down, so that it never shows the required ratio before it is reached.
  const ratio = new Intl.NumberFormat(tag, { maximumFractionDigits: 1 }).format(Math.floor(least * 10) / 10);
  const isEnough = least >= LEAST_CONTRAST;
  const text = t(isEnough ? 'contrast.enough' : 'contrast.low', { ratio });
  if (isEnough && isInverted) return <Note state="unread" text={t('contrast.inverted')} />;
  return <Note state={isEnough ? 'reads-back' : 'unread'} text={text} />;
}

function Note({ state, text }: { state: 'reads-back' | 'unread'; text: string }) {
  return (
    <div aria-live="polite">
      <Receipt state={state} text={text} />
    </div>
  );
}
