/**
 * A form for an object of a known shape: one control for each member, with the faults that the server found beside it. Members
 * that the shape gets later appear by themselves.
 */
import { Button, Checkbox, NativeSelect, Textarea, TextInput } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { shapeFormTexts as texts } from '../../texts/shape-form.ts'
import {
  type Control,
  controlOf,
  faultsAt,
  initialValues,
  integerOf,
  labelOf,
  linesOf,
  mayBeNothing,
  type ObjectShape,
  type PlacedFault,
  plain,
  type Shape,
  type Values,
  withMember,
} from './shape.ts'
import classes from './shape-form.module.css'

type FormProps = {
  readonly shape: Shape
  readonly values: Values
  readonly onChange: (values: Values) => void
  readonly faults: readonly PlacedFault[]
  readonly isReadOnly: boolean
  /** Members that are edited elsewhere. */
  readonly without?: readonly string[]
  /** JSON pointer of the object. */
  readonly path?: string
}

export function ShapeForm(props: FormProps): ReactNode {
  const { shape, values, onChange, faults, isReadOnly, without = [], path = '' } = props
  return (
    <div className={classes.members}>
      {Object.keys(shape.properties ?? {})
        .filter((name) => !without.includes(name))
        .map((name) => (
          <Member
            key={name}
            label={labelOf(name)}
            control={controlOf(shape, name)}
            value={values[name]}
            onChange={(value) => onChange(withMember(values, name, value))}
            faults={faults}
            isReadOnly={isReadOnly}
            path={`${path}/${name}`}
          />
        ))}
    </div>
  )
}

type MemberProps = {
  readonly label: string
  readonly control: Control
  readonly value: unknown
  readonly onChange: (value: unknown) => void
  readonly faults: readonly PlacedFault[]
  readonly isReadOnly: boolean
  readonly path: string
}

function Member(props: MemberProps): ReactNode {
  const { label, control, value, onChange, faults, isReadOnly, path } = props
  const { kind, shape } = control
  if (kind === 'object') return <ObjectMember {...props} />
  if (kind === 'objects') return <ObjectsMember {...props} />
  const about = plain(shape.description ?? '')
  const common = { label, description: about || undefined, error: faultsAt(faults, path) }
  const empty = 'nothing' in control ? control.nothing : ''
  if (kind === 'words' || (kind === 'yes-no' && mayBeNothing(control))) {
    return <Choice {...common} control={control} value={value} onChange={onChange} isReadOnly={isReadOnly} />
  }
  if (kind === 'yes-no') {
    return (
      <Checkbox
        {...common}
        checked={value === true}
        disabled={isReadOnly}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    )
  }
  if (kind === 'lines' || kind === 'json') return <Written {...props} />
  const text = value === null || value === undefined ? '' : String(value)
  const change = (written: string) =>
    onChange(written === '' ? empty : kind === 'integer' ? integerOf(written) : written)
  if (kind === 'long-text') {
    return (
      <Textarea
        {...common}
        value={text}
        readOnly={isReadOnly}
        autosize
        minRows={2}
        onChange={(event) => change(event.currentTarget.value)}
      />
    )
  }
  return (
    <TextInput
      {...common}
      value={text}
      readOnly={isReadOnly}
      inputMode={kind === 'integer' ? 'numeric' : 'text'}
      onChange={(event) => change(event.currentTarget.value)}
    />
  )
}

type ChoiceProps = {
  readonly label: string
  readonly description: string | undefined
  readonly error: string | undefined
  readonly control: Control
  readonly value: unknown
  readonly onChange: (value: unknown) => void
  readonly isReadOnly: boolean
}

function Choice({ control, value, onChange, isReadOnly, ...common }: ChoiceProps): ReactNode {
  const isYesNo = control.kind === 'yes-no'
  const words = isYesNo
    ? [
        { value: 'true', label: texts.yes },
        { value: 'false', label: texts.no },
      ]
    : (control.shape.enum ?? []).map((word) => ({ value: word, label: word }))
  const nothing =
    'nothing' in control
      ? [{ value: '', label: control.nothing === null ? texts.none : texts.byDefault }]
      : []
  const change = (word: string) => {
    if (word === '') onChange('nothing' in control ? control.nothing : word)
    else onChange(isYesNo ? word === 'true' : word)
  }
  return (
    <NativeSelect
      {...common}
      data={[...nothing, ...words]}
      value={value === null || value === undefined ? '' : String(value)}
      disabled={isReadOnly}
      onChange={(event) => change(event.currentTarget.value)}
    />
  )
}

/** A list of texts, one per line, or any value as JSON. What is written stays as it is written while one types. */
function Written({ label, control, value, onChange, faults, isReadOnly, path }: MemberProps): ReactNode {
  const isJson = control.kind === 'json'
  const shown = isJson ? jsonText(value) : ((value ?? []) as readonly string[]).join('\n')
  const read = (text: string) => (isJson ? jsonValue(text) : linesOf(text))
  const [text, setText] = useState(shown)
  const isCurrent = JSON.stringify(read(text)) === JSON.stringify(isJson ? value : (value ?? []))
  const change = (written: string) => {
    setText(written)
    const next = read(written)
    const isEmpty = Array.isArray(next) && next.length === 0
    onChange(isEmpty && 'nothing' in control ? control.nothing : next)
  }
  const about = plain(control.shape.description ?? '')
  const written = isCurrent ? text : shown
  return (
    <Textarea
      label={label}
      description={isJson ? about : `${about === '' ? '' : `${about}. `}${texts.onePerLine}`}
      error={faultsAt(faults, path) ?? (isJson && !isJsonText(written) ? texts.notJson : undefined)}
      value={written}
      readOnly={isReadOnly}
      autosize
      minRows={2}
      maxRows={12}
      onChange={(event) => change(event.currentTarget.value)}
    />
  )
}

const jsonText = (value: unknown): string =>
  value === null || value === undefined ? '' : JSON.stringify(value, null, 2)

function jsonValue(text: string): unknown {
  if (text.trim() === '') return null
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function isJsonText(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return text.trim() === ''
  }
}

function ObjectMember({ label, control, value, onChange, faults, isReadOnly, path }: MemberProps): ReactNode {
  const { shape } = control
  const isThere = typeof value === 'object' && value !== null
  const fault = faultsAt(faults, path)
  const isOptional = 'nothing' in control
  return (
    <fieldset className={`${classes.group} ${classes.whole}`}>
      <legend>{label}</legend>
      {shape.description !== undefined && <p className={classes.about}>{plain(shape.description)}</p>}
      {fault !== undefined && (
        <p className={classes.fault} role="alert">
          {fault}
        </p>
      )}
      {isOptional && (
        <Checkbox
          label={texts.use(label)}
          checked={isThere}
          disabled={isReadOnly}
          mb={isThere ? 'md' : 0}
          onChange={(event) => onChange(event.currentTarget.checked ? initialValues(shape) : control.nothing)}
        />
      )}
      {isThere && (
        <ShapeForm
          shape={shape}
          values={value as Values}
          onChange={onChange}
          faults={faults}
          isReadOnly={isReadOnly}
          path={path}
        />
      )}
    </fieldset>
  )
}

function ObjectsMember({
  label,
  control,
  value,
  onChange,
  faults,
  isReadOnly,
  path,
}: MemberProps): ReactNode {
  const items = (value ?? []) as readonly Values[]
  const shape = control.shape.items as ObjectShape
  return (
    <div className={`${classes.items} ${classes.whole}`}>
      {items
        .map((item, index) => ({ item, index, place: `${path}/${index}` }))
        .map(({ item, index, place }) => (
          <fieldset key={place} className={classes.group}>
            <legend>{texts.item(label, index + 1)}</legend>
            <ShapeForm
              shape={shape}
              values={item}
              onChange={(changed) => onChange(items.with(index, changed))}
              faults={faults}
              isReadOnly={isReadOnly}
              path={place}
            />
            {!isReadOnly && (
              <Button
                variant="default"
                size="xs"
                mt="sm"
                leftSection={<IconTrash size={14} aria-hidden />}
                onClick={() => onChange(items.toSpliced(index, 1))}
              >
                {texts.remove(label, index + 1)}
              </Button>
            )}
          </fieldset>
        ))}
      {!isReadOnly && (
        <div>
          <Button
            variant="default"
            size="xs"
            leftSection={<IconPlus size={14} aria-hidden />}
            onClick={() => onChange([...items, initialValues(shape)])}
          >
            {texts.add(label)}
          </Button>
        </div>
      )}
    </div>
  )
}
