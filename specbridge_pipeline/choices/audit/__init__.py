"""The audit of a query: which choices it settles silently, and whether they change its answer."""

from specbridge_pipeline.choices.audit.auditing import audit
from specbridge_pipeline.choices.audit.findings import Audit, Finding, Status

__all__ = ["Audit", "Finding", "Status", "audit"]
