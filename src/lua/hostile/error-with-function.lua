function agent.resolve()
  error(print)
end
