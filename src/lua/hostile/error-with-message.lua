function agent.resolve()
  error({ message = "the pager is silent", code = 7 })
end
