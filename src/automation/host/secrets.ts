/** The host function for secrets (specification 4.3). A value that a run has read is redacted in everything that is recorded. */
import { any, define, type NativeFunction } from '../../script/values.ts'
import { plainText } from './host-arguments.ts'
import { hostOf } from './run-host.ts'

const getSecret = define({
  name: 'GetSecret',
  category: 'Secrets',
  parameters: [any('secretName')],
  returns: 'string or null',
  about:
    'Returns the value of a secret. The letter case of the name does not matter. Returns null when the secret is unknown, inactive or expired. History and log show [redacted] in its place.',
  async waits(context, secretName) {
    const { secrets, redaction } = hostOf(context)
    const name = plainText(secretName)
    const value = name === null ? null : await secrets.read(name)
    if (value === null) return null
    redaction.hide(value)
    return context.text(value)
  },
})

export const secretFunctions: readonly NativeFunction[] = [getSecret]
