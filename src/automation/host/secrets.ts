/** Host function for secrets (specification 4.3). What was read is recorded nowhere. */
import { any, define, type NativeFunction } from '../../script/values.ts'
import { plainText } from './host-arguments.ts'
import { hostOf } from './run-host.ts'

const getSecret = define({
  name: 'GetSecret',
  category: 'Secrets',
  parameters: [any('secretName')],
  returns: 'string or null',
  about:
    'Answers the value of a secret by its name, without regard to case, or null when it is unknown, inactive or expired. History and log show [redacted] in its place.',
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
