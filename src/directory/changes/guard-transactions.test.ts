import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { openStorePair } from '../testing/store-pair.ts'

const BY = 'operator:test'
const { here, close } = await openStorePair()
after(close)

describe('a check in front of a change', () => {
  it('refuses the change in its transaction, and nothing is written', async () => {
    const before = await here.tenant()
    const refused = here.changeIf(
      async () => {
        throw new Error('refused')
      },
      () => here.renameTenant('Refused', BY),
    )
    await assert.rejects(refused, { message: 'refused' })
    assert.deepEqual(await here.tenant(), before)
  })

  it('does not reach what begins when the change is over', async () => {
    let checks = 0
    let later: Promise<unknown> = Promise.resolve()
    await here.changeIf(
      async () => {
        checks++
      },
      async () => {
        // As work that waits for a moment of rest does.
        later = wait(1).then(() => here.renameTenant('Later', BY))
      },
    )
    await later
    assert.deepEqual([checks, (await here.tenant()).name], [0, 'Later'])
  })
})
