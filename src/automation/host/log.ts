/** The function Log of the host (specification 4.3). It replaces the logarithm of the library, which has the same name. */
import { any, define, type NativeFunction, text } from '../../script/values.ts'
import { plainText } from './host-arguments.ts'
import { hostOf } from './run-host.ts'

const log = define({
  name: 'Log',
  category: 'Log',
  parameters: [any('level'), text('message')],
  returns: 'null',
  about:
    'Writes a line into the log of the run and of the service. The level is Debug, Information, Warning or Error; any other counts as Information.',
  body(context, level, message) {
    // Copying a long message takes time, which counts as work.
    context.work(1 + Math.floor(message.length / 100))
    hostOf(context).log.add(plainText(level) ?? '', message)
    return null
  },
})

export const logFunctions: readonly NativeFunction[] = [log]
