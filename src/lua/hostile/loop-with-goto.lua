function agent.resolve()
  ::again::
  goto again
end
