import { systemTexts as texts } from '../../texts/system.ts'

export type Setting = {
  readonly name: string
  readonly value: string
  readonly source: keyof typeof texts.sources
  readonly variable: string
}

/** The settings that have every word of the text in their name, variable, value or source, in any letter case. */
export function matchingSettings(settings: readonly Setting[], text: string): readonly Setting[] {
  const words = text.toLowerCase().split(/\s+/)
  return settings.filter(({ name, variable, value, source }) => {
    const searched = [name, variable, value, texts.sources[source]].join(' ').toLowerCase()
    return words.every((word) => searched.includes(word))
  })
}
