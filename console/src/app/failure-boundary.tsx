/** Shows that a part of the page has failed, in its place; the rest goes on. */
import { Component, type ReactNode } from 'react'
import { ErrorState } from '../parts/states.tsx'
import { appTexts } from '../texts/app.ts'
import { isMissingPart } from './missing-parts.ts'

type Props = {
  /** When it changes, a failure is forgotten: another page is shown. */
  readonly page?: string
  readonly children: ReactNode
}
type State = { readonly failure: unknown }

export class FailureBoundary extends Component<Props, State> {
  override state: State = { failure: undefined }

  static getDerivedStateFromError(failure: unknown): State {
    return { failure }
  }

  override componentDidUpdate({ page }: Props): void {
    if (page !== this.props.page && this.state.failure !== undefined) this.setState({ failure: undefined })
  }

  override render(): ReactNode {
    const { failure } = this.state
    if (failure === undefined) return this.props.children
    const again = isMissingPart(failure)
      ? { retryLabel: appTexts.reload, onRetry: () => location.reload() }
      : { onRetry: () => this.setState({ failure: undefined }) }
    return <ErrorState title={appTexts.failed} error={failure} {...again} />
  }
}
