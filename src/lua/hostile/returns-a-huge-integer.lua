function agent.resolve()
  return { id = math.maxinteger }
end
